"""The built-in workflows as functions, to be parts of others: the engine builds and runs them."""
from typing import Any, Callable, Dict, List, Optional

from cloudify.decorators import workflow
from cloudify.workflows.engine import instead_of_workflow, needs_engine

__all__ = [
    'auto_heal_reinstall_node_subgraph', 'check_drift', 'check_status', 'execute_operation', 'heal', 'install',
    'install_new_agents', 'pull', 'reinstall', 'restart', 'rollback', 'scale', 'scale_entity', 'start', 'stop',
    'uninstall', 'update', 'validate_agents',
]


def _builtin(name: str, resumable: bool = True) -> Callable[..., Any]:
    @workflow(resumable=resumable)
    def function(ctx: Any = None, **parameters: Any) -> None:
        _run(ctx, name, parameters)
    function.__name__ = function.__qualname__ = name
    return function


def _run(ctx: Any, name: str, parameters: Dict[str, Any]) -> None:
    """As a part of the workflow that runs here. Raises NonRecoverableError for what the manager does not run so."""
    if ctx is None:
        from cloudify.state import workflow_ctx as ctx
    engine = ctx.internal.engine
    if engine is None:
        raise needs_engine('cloudify.plugins.workflows.{0}'.format(name), instead_of_workflow(name))
    engine.workflow(name, {key: value for key, value in parameters.items() if value is not None})


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
def execute_operation(ctx: Any, operation: str, operation_kwargs: Optional[Dict[str, Any]] = None,
                      allow_kwargs_override: Optional[bool] = None, run_by_dependency_order: Optional[bool] = None,
                      type_names: Optional[List[str]] = None, node_ids: Optional[List[str]] = None,
                      node_instance_ids: Optional[List[str]] = None, **_: Any) -> None:
    _run(ctx, 'execute_operation', {
        'operation': operation, 'operation_kwargs': operation_kwargs, 'allow_kwargs_override': allow_kwargs_override,
        'run_by_dependency_order': run_by_dependency_order, 'type_names': type_names, 'node_ids': node_ids,
        'node_instance_ids': node_instance_ids})


@workflow(resumable=True)
def scale(ctx: Any, node_id: str, delta: int, scale_compute: bool, **kwargs: Any) -> None:
    scale_entity(ctx, node_id, delta, scale_compute, **kwargs)


@workflow(resumable=True)
def scale_entity(ctx: Any, scalable_entity_name: str, delta: int, scale_compute: bool, ignore_failure: bool = False,
                 include_instances: Any = None, exclude_instances: Any = None, rollback_if_failed: bool = True,
                 abort_started: bool = False, **_: Any) -> None:
    _run(ctx, 'scale_entity', {
        'scalable_entity_name': scalable_entity_name, 'delta': delta, 'scale_compute': scale_compute,
        'ignore_failure': ignore_failure, 'include_instances': include_instances,
        'exclude_instances': exclude_instances, 'rollback_if_failed': rollback_if_failed,
        'abort_started': abort_started})


@workflow
def auto_heal_reinstall_node_subgraph(ctx: Any, node_instance_id: str, diagnose_value: str = 'Not provided',
                                      ignore_failure: bool = True, **parameters: Any) -> None:
    _run(ctx, 'auto_heal_reinstall_node_subgraph', dict(
        parameters, node_instance_id=node_instance_id, diagnose_value=diagnose_value, ignore_failure=ignore_failure))
