"""What a script may answer: `ctx returns`, `ctx abort-operation`, `ctx retry-operation`; one of them, once.

Other plugins that run scripts (Ansible's, Fabric's) give `ctx` the same three, and read the same attributes."""
from typing import Any, List, Optional

from cloudify.exceptions import NonRecoverableError
from cloudify.proxy.client import ScriptException

# Instances, not classes: who raised one is known by `is`.
ILLEGAL_CTX_OPERATION_ERROR = RuntimeError('ctx may only abort or return once')
UNSUPPORTED_SCRIPT_FEATURE_ERROR = RuntimeError('this ctx cannot abort an operation or ask for a retry')


def add_answers(ctx: Any) -> None:
    """Gives `ctx` the three commands. `ctx._return_value` is what was answered: None as long as nothing was."""
    ctx._return_value = None
    ctx.is_script_exception_defined = True
    answered_already: List[bool] = []

    def answer(value: Any) -> None:
        if answered_already:
            ctx._return_value = ILLEGAL_CTX_OPERATION_ERROR
            raise ILLEGAL_CTX_OPERATION_ERROR
        answered_already.append(True)
        ctx._return_value = value

    def returns(value: Any = None) -> None:
        answer(value)

    def abort_operation(message: Optional[str] = None) -> ScriptException:
        answer(ScriptException(message))
        return ctx._return_value

    def retry_operation(message: Optional[str] = None, retry_after: Any = None) -> ScriptException:
        answer(ScriptException(message, retry=True))
        ctx.operation.retry(message=message, retry_after=_seconds(retry_after))
        return ctx._return_value

    ctx.returns = returns
    ctx.abort_operation = abort_operation
    ctx.retry_operation = retry_operation


def answered(ctx: Any) -> Any:
    """The script's answer, None without one. Raises it when it is an error, but not a wish to be run again: that one
    `ctx.operation` holds, and whoever called the operation sees to it."""
    value = ctx._return_value
    if isinstance(value, ScriptException) and value.retry:
        return value
    if isinstance(value, (RuntimeError, ScriptException)):
        raise NonRecoverableError(str(value))
    if isinstance(value, Exception):
        raise value
    return value


def _seconds(value: Any) -> Any:
    if value is None or isinstance(value, (int, float)):
        return value
    try:
        return float(value) if '.' in value else int(value)
    except (TypeError, ValueError):
        raise NonRecoverableError('retry_after must be a number of seconds, not "{0}"'.format(value)) from None
