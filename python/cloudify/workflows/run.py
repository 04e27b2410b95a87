"""Runs a workflow function for its worker (docs/reference/python-workflows.md, "On a manager")."""
import inspect
from typing import Any, Callable, Dict

from cloudify.exceptions import NonRecoverableError
from cloudify.state import current_workflow_ctx
from cloudify.workflows import workflow_api as api
from cloudify.workflows.worker_engine import WorkerEngine
from cloudify.workflows.workflow_context import CloudifyWorkflowContext


def run_workflow(find_function: Callable[[str], Callable[..., Any]], context: Dict[str, Any], kwargs: Dict[str, Any],
                 folder: Any) -> Any:
    """What it returns counts only when it says that it was cancelled."""
    ctx = CloudifyWorkflowContext(context)
    if context.get('workflow_channel'):
        ctx.internal.engine = WorkerEngine(ctx, folder, context['workflow_channel'])
    ctx._folder = folder
    try:
        with current_workflow_ctx.push(ctx, kwargs):
            function = find_function(context['task_name'])
            if ctx.resume and not getattr(function, 'resumable', False):
                raise NonRecoverableError('Cannot resume - workflow not resumable')
            result = _call(function, ctx, kwargs)
    finally:
        ctx.internal.stop_local_tasks()
        ctx.events.close()
    return api.EXECUTION_CANCELLED_RESULT if result == api.EXECUTION_CANCELLED_RESULT else None


def _call(function: Callable[..., Any], ctx: Any, kwargs: Dict[str, Any]) -> Any:
    """`ctx` by its name where the function takes it by that, else as the first argument."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return function(ctx, **kwargs)
    by_name = any(one.name == 'ctx' or one.kind == one.VAR_KEYWORD for one in parameters)
    positional = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    if not any(one.name == 'ctx' for one in parameters) and positional and positional[0].name not in kwargs \
            and positional[0].default is positional[0].empty:
        return function(ctx, **kwargs)
    return function(**dict(kwargs, ctx=ctx)) if by_name else function(**kwargs)
