"""Marks on plugin functions; the functions themselves stay as they are (docs/reference/python.md, "Decorators")."""
from functools import wraps
from typing import Any, Callable, List, Optional, TypeVar

from cloudify.constants import NODE_INSTANCE

F = TypeVar('F', bound=Callable[..., Any])


def operation(func: Optional[F] = None, resumable: bool = False, **_: Any) -> Any:
    """Marks an operation. A resumable one may be run again after the worker that ran it was lost."""
    return _mark(func, resumable=resumable)


def workflow(func: Optional[F] = None, system_wide: bool = False, resumable: bool = False, **_: Any) -> Any:
    """Marks a workflow function."""
    return _mark(func, workflow_system_wide=system_wide, resumable=resumable)


task = operation


def serial_operation(threshold: int = 0, workflows: Optional[List[str]] = None, states: Optional[List[str]] = None,
                     **operation_arguments: Any) -> Callable[..., Any]:
    """Makes instances of one node take turns by index: an instance waits until all of lower index are in one of
    `states`, as long as `threshold` is 0 or at least so many instances of the node are. (The original's own
    documentation says the reverse of the last part; its code is what plugins ran with.) Only in `workflows`.
    Other arguments are those of `operation`."""
    workflows = ['install'] if workflows is None else workflows
    states = ['started'] if states is None else states

    def decorate(func):
        @wraps(func)
        def wrapper(*args, **kwargs):
            from cloudify.manager import get_rest_client
            from cloudify.state import ctx
            current = kwargs.get('ctx') or ctx
            client = get_rest_client()
            if current.workflow_id in workflows:
                _wait_for_turn(current, client, threshold, states)
            return func(*args, **kwargs)
        return operation(wrapper, **operation_arguments)
    return decorate


def _wait_for_turn(ctx: Any, client: Any, threshold: int, states: List[str]) -> None:
    from cloudify.exceptions import CloudifySerializationRetry
    from cloudify.utils import get_instances_of_node
    side = ctx if ctx.type == NODE_INSTANCE else ctx.source
    instances = get_instances_of_node(client, ctx.deployment.id, side.node.id)
    ready = [one['id'] for one in instances if one['state'] in states]
    if threshold and threshold > len(ready):
        return
    waiting = [one['id'] for one in instances if one['index'] < side.instance.index and one['id'] not in ready]
    if waiting:
        raise CloudifySerializationRetry('{0} waits for {1} to be {2}'.format(
            side.instance.id, ', '.join(waiting), ' or '.join(states)))


def _mark(func: Optional[F], **marks: Any) -> Any:
    def mark(target):
        for name, value in marks.items():
            setattr(target, name, value)
        return target
    return mark if func is None else mark(func)
