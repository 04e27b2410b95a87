"""The built-in workflows as functions. The manager runs them itself; from Python they are started."""
from typing import Any, Callable

from cloudify.decorators import workflow
from cloudify.workflows.engine import instead_of_workflow, needs_engine

__all__ = [
    'auto_heal_reinstall_node_subgraph', 'check_drift', 'check_status', 'execute_operation', 'heal', 'install',
    'install_new_agents', 'pull', 'reinstall', 'restart', 'rollback', 'scale', 'scale_entity', 'start', 'stop',
    'uninstall', 'update', 'validate_agents',
]


def _builtin(name: str, resumable: bool = True) -> Callable[..., Any]:
    @workflow(resumable=resumable)
    def function(ctx: Any = None, *_: Any, **__: Any) -> Any:
        raise needs_engine('cloudify.plugins.workflows.{0}'.format(name), instead_of_workflow(name))
    function.__name__ = function.__qualname__ = name
    return function


install = _builtin('install')
uninstall = _builtin('uninstall')
reinstall = _builtin('reinstall')
start = _builtin('start')
stop = _builtin('stop')
restart = _builtin('restart')
pull = _builtin('pull')
check_status = _builtin('check_status')
check_drift = _builtin('check_drift')
heal = _builtin('heal', resumable=False)
update = _builtin('update', resumable=False)
rollback = _builtin('rollback')
install_new_agents = _builtin('install_new_agents')
validate_agents = _builtin('validate_agents')


@workflow(resumable=True)
def execute_operation(ctx: Any, operation: str, *args: Any, **kwargs: Any) -> Any:
    raise needs_engine('cloudify.plugins.workflows.execute_operation of {0}'.format(operation),
                       instead_of_workflow('execute_operation'))


@workflow(resumable=True)
def scale(ctx: Any, node_id: str, delta: int, scale_compute: bool, **kwargs: Any) -> Any:
    return scale_entity(ctx, node_id, delta, scale_compute, **kwargs)


@workflow(resumable=True)
def scale_entity(ctx: Any, scalable_entity_name: str, delta: int, scale_compute: bool, ignore_failure: bool = False,
                 include_instances: Any = None, exclude_instances: Any = None, rollback_if_failed: bool = True,
                 abort_started: bool = False, **kwargs: Any) -> Any:
    raise needs_engine('Scaling {0} out of a Python workflow'.format(scalable_entity_name),
                       instead_of_workflow('scale'))


@workflow
def auto_heal_reinstall_node_subgraph(ctx: Any, node_instance_id: str, diagnose_value: str = 'Not provided',
                                      ignore_failure: bool = True, **kwargs: Any) -> Any:
    raise needs_engine('Healing {0} out of a Python workflow'.format(node_instance_id), instead_of_workflow('heal'))
