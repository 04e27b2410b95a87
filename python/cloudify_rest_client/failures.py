"""What is raised when no answer came.

Scripts that are written for a client on top of `requests` catch the errors of `requests`. Whoever does has imported
it: then these errors are of its classes too, and otherwise nothing imports it.
"""
from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Tuple, Type


class ConnectionFailed(ConnectionError):
    """Nothing answers at the address, or the connection broke."""


class CertificateRefused(ConnectionFailed):
    """TLS could not be agreed on; most often the certificate is not trusted."""


class ConnectTimedOut(ConnectionFailed, TimeoutError):
    """The address did not take the connection in time."""


class ReadTimedOut(TimeoutError):
    """The request was sent, and its answer did not come in time."""


IN_REQUESTS: Dict[Type[OSError], str] = {ConnectionFailed: 'ConnectionError', CertificateRefused: 'SSLError', ConnectTimedOut: 'ConnectTimeout',
               ReadTimedOut: 'ReadTimeout'}

_joined: Dict[Type[OSError], Any] = {}


def failure(kind: Type[OSError], message: str) -> OSError:
    """An error of `kind`, and of the class that `requests` has for it if that is loaded."""
    theirs = _of_requests(kind)
    if theirs is None:
        return kind(message)
    joined = _joined.get(kind)
    if joined is None or theirs not in joined.__mro__:
        joined = _joined[kind] = type(kind.__name__, (kind, theirs), {'__doc__': kind.__doc__})
    return joined(message)  # type: ignore[no-any-return]


def kinds_of(kind: Type[OSError]) -> Tuple[Type[BaseException], ...]:
    """What to catch for `kind`, also when a session of `requests` raises it."""
    theirs = _of_requests(kind)
    return (kind,) if theirs is None else (kind, theirs)


def _of_requests(kind: Type[OSError]) -> Any:
    return getattr(sys.modules.get('requests.exceptions'), IN_REQUESTS[kind], None)
