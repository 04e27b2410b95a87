"""Exceptions as the JSON between an operation's process and its worker, and back (docs/reference/operations.md, "Errors
on the wire")."""
from typing import Any, Dict, Optional

from cloudify import exceptions
from cloudify.error_wire import KNOWN, error_payload


def serialize_known_exception(e: BaseException, formatted_traceback: Optional[str] = None) -> Dict[str, Any]:
    payload = error_payload(e)
    if formatted_traceback is not None and 'traceback' in payload:
        payload['traceback'] = formatted_traceback
    return payload


def deserialize_known_exception(dumped_exc: Dict[str, Any]) -> BaseException:
    """The nearest exception that workflows know, with the error itself among its causes."""
    kinds = {kind.__name__: kind for kind in KNOWN}
    kind = kinds.get(str(dumped_exc.get('known_exception_type')), exceptions.RecoverableError)
    arguments = list(dumped_exc.get('known_exception_type_args') or [])
    message = dumped_exc.get('message', '')
    if dumped_exc.get('exception_type') not in (None, kind.__name__):
        message = '{0}: {1}'.format(dumped_exc['exception_type'], message)
    # HttpException's message is its last argument, every other one's is the first.
    arguments = arguments + [message] if dumped_exc.get('append_message') else [message] + arguments
    keywords = dict(dumped_exc.get('known_exception_type_kwargs') or {})
    error = kind(*arguments, **keywords)
    if dumped_exc.get('traceback'):
        error.causes = list(getattr(error, 'causes', None) or []) + [{
            'message': dumped_exc.get('message', ''), 'type': dumped_exc.get('exception_type'),
            'traceback': dumped_exc['traceback']}]
    return error
