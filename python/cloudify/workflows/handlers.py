"""What happens when a task of a graph has ended: handlers, their answers, and how they are stored."""
import importlib
from typing import Any, Dict, Optional

from cloudify.exceptions import NonRecoverableError


class HandlerResult:
    """A handler's answer."""

    HANDLER_RETRY = 'handler_retry'
    HANDLER_FAIL = 'handler_fail'
    HANDLER_IGNORE = 'handler_ignore'
    HANDLER_CONTINUE = 'handler_continue'

    def __init__(self, action: str, ignore_total_retries: bool = False, retry_after: Optional[float] = None) -> None:
        self.action = action
        self.ignore_total_retries = ignore_total_retries
        self.retry_after = retry_after
        self.retried_task: Any = None  # the task that takes the place of the one that ended

    @classmethod
    def retry(cls, ignore_total_retries: bool = False, retry_after: Optional[float] = None) -> 'HandlerResult':
        return cls(cls.HANDLER_RETRY, ignore_total_retries, retry_after)

    @classmethod
    def fail(cls) -> 'HandlerResult':
        return cls(cls.HANDLER_FAIL)

    @classmethod
    def cont(cls) -> 'HandlerResult':
        return cls(cls.HANDLER_CONTINUE)

    @classmethod
    def ignore(cls) -> 'HandlerResult':
        return cls(cls.HANDLER_IGNORE)

    def __repr__(self) -> str:
        return '<HandlerResult {0}>'.format(self.action)


def serialize_handler(handler: Any) -> Optional[Dict[str, Any]]:
    """{path, …}: a function of a module by its name, an object by its class and what its dump() gives."""
    if handler is None:
        return None
    if hasattr(handler, 'dump'):
        kind = type(handler)
        path = _path(kind)
        return None if path is None else dict(handler.dump(), path=path)
    path = _path(handler)
    if path is None:
        raise NonRecoverableError('Cannot serialize handler {0!r}: it must be a function of a module, or an object '
                                  'with dump()'.format(handler))
    return {'path': path}


def deserialize_handler(stored: Optional[Dict[str, Any]]) -> Any:
    if not stored:
        return None
    arguments = dict(stored)
    arguments.pop('asks', None)
    module_name, _, name = arguments.pop('path').rpartition('.')
    if not module_name:
        return None  # one of the engine's own, which nobody here is asked for
    found = getattr(importlib.import_module(module_name), name)
    return found(**arguments) if isinstance(found, type) else found


def _path(thing: Any) -> Optional[str]:
    name = getattr(thing, '__qualname__', None)
    module = getattr(thing, '__module__', None)
    if not name or not module or not name.isidentifier():
        return None  # local, a lambda, or a method: nobody could find it again
    return '{0}.{1}'.format(module, name)
