"""What a script may answer: `ctx returns`, `ctx abort-operation`, `ctx retry-operation`; one of them, once."""
from cloudify.exceptions import NonRecoverableError, OperationRetry

UNSET = object()
TWICE = 'ctx may only abort or return once'


def add_answers(ctx):
    """Gives `ctx` the three commands. What was answered is in ctx._return_value, which other plugins read too."""
    ctx._return_value = UNSET

    def answer(value):
        if ctx._return_value is not UNSET:
            ctx._return_value = NonRecoverableError(TWICE)
            raise ctx._return_value
        ctx._return_value = value

    def returns(value=None):
        answer(value)

    def abort_operation(message=None):
        error = NonRecoverableError('' if message is None else message)
        answer(error)
        return error

    def retry_operation(message=None, retry_after=None):
        error = OperationRetry('' if message is None else message, retry_after=_seconds(retry_after))
        answer(error)
        return error

    ctx.returns = returns
    ctx.abort_operation = abort_operation
    ctx.retry_operation = retry_operation


def answered(ctx):
    """The script's answer, None without one. Raises it when it is an error."""
    value = ctx._return_value
    if isinstance(value, Exception):
        raise value
    return None if value is UNSET else value


def _seconds(value):
    if value is None or isinstance(value, (int, float)):
        return value
    try:
        return float(value) if '.' in value else int(value)
    except (TypeError, ValueError):
        raise NonRecoverableError('retry_after must be a number of seconds, not "{0}"'.format(value)) from None
