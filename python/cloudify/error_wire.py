"""An exception as the JSON that the worker reads (docs/reference/operations.md, "Errors on the wire")."""
import traceback

from cloudify import exceptions

# Nearest first: HttpException is a NonRecoverableError, OperationRetry is a RecoverableError.
KNOWN = (
    exceptions.HttpException,
    exceptions.NonRecoverableError,
    exceptions.OperationRetry,
    exceptions.RecoverableError,
    exceptions.StopAgent,
    exceptions.WorkflowFailed,
)


def error_payload(error: BaseException) -> dict:
    known = next((kind for kind in KNOWN if isinstance(error, kind)), exceptions.RecoverableError)
    payload = {
        'exception_type': type(error).__name__,
        'message': _text(error),
        'known_exception_type': known.__name__,
        'known_exception_type_args': _arguments(known, error),
        'known_exception_type_kwargs': {'causes': getattr(error, 'causes', None) or []},
        'append_message': known is exceptions.HttpException,
    }
    if isinstance(error, exceptions.HttpException):
        payload['message'] = error.message
    elif isinstance(error, exceptions.RecoverableError) and error.retry_after is not None:
        # The receiving class adds the suffix again from its argument.
        suffix = '[retry_after={0}]'.format(error.retry_after)
        payload['message'] = str(error)[:-len(suffix)].rstrip() if str(error).endswith(suffix) else str(error)
    if known not in (exceptions.OperationRetry, exceptions.WorkflowFailed):
        payload['traceback'] = error_traceback(error)
    return payload


def error_traceback(error: BaseException) -> str:
    return ''.join(traceback.format_exception(type(error), error, error.__traceback__))


def _text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as failure:  # of an exception class of a plugin: what went wrong must be told all the same
        return '{0} (whose text cannot be had: {1!r})'.format(type(error).__name__, failure)


def _arguments(known: type, error: BaseException) -> list:
    if isinstance(error, exceptions.HttpException):
        return [error.url, error.code]
    if known in (exceptions.RecoverableError, exceptions.OperationRetry):
        return [getattr(error, 'retry_after', None)]
    return []
