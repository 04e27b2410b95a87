"""An operation of an instance as a task (docs/reference/operations.md, "Context")."""
import uuid
from typing import Any, Dict, Optional


def execute_operation(ctx: Any, operation: str, instance: Any, operations: Dict[str, Any], related: Any = None,
                      related_is_target: bool = False, kwargs: Optional[Dict[str, Any]] = None,
                      allow_kwargs_override: bool = False, send_task_events: bool = True) -> Any:
    """A task that does nothing where the operation is not implemented. Raises RuntimeError for a plugin that the node
    does not have, and for inputs that are given twice or are of the wrong type."""
    from cloudify.workflows.tasks import NOPLocalWorkflowTask
    definition = operations.get(operation) or {}
    if not definition.get('operation'):
        return ctx._process_task(NOPLocalWorkflowTask(ctx))
    node = instance.node
    plugin = next((one for one in node.plugins if one['name'] == definition['plugin']), None)
    if plugin is None:
        raise RuntimeError('Node {0} has no plugin "{1}", which its operation {2} names'.format(
            node.id, definition['plugin'], operation))
    inputs = _merged(operation, definition, kwargs or {}, allow_kwargs_override)
    total_retries, retry_interval = definition.get('max_retries'), definition.get('retry_interval')
    context = {
        'node_id': instance.id, 'node_name': instance.node_id, 'host_id': instance.host_id,
        'plugin': {'name': plugin['name'], 'package_name': plugin.get('package_name'),
                   'package_version': plugin.get('package_version'), 'visibility': plugin.get('visibility'),
                   'tenant_name': plugin.get('tenant_name'), 'source': plugin.get('source'),
                   'properties': plugin.get('properties') or {}},
        'operation': {'name': operation, 'retry_number': 0,
                      'max_retries': ctx.internal.get_task_configuration()['total_retries']
                      if total_retries is None else total_retries},
        'has_intrinsic_functions': bool(definition.get('has_intrinsic_functions')),
        'executor': definition.get('executor'),
        'timeout': definition.get('timeout'), 'timeout_recoverable': definition.get('timeout_recoverable'),
    }
    if related is not None:
        context['related'] = {'node_id': related.id, 'node_name': related.node_id, 'is_target': related_is_target}
        context['operation']['relationship'] = 'source' if related_is_target else 'target'
    return ctx.execute_task(
        definition['operation'], local=ctx.local, kwargs=inputs, node_context=context,
        send_task_events=send_task_events, total_retries=total_retries, retry_interval=retry_interval,
        timeout=definition.get('timeout'), timeout_recoverable=definition.get('timeout_recoverable'))


def make_context(ctx: Any, task_name: str, node_context: Optional[Dict[str, Any]], task_queue: Optional[str],
                 task_target: Optional[str]) -> Dict[str, Any]:
    """What an operation is told: where it belongs, and by what right it asks the manager."""
    own = ctx._context
    context = {key: own.get(key) for key in (
        'execution_id', 'workflow_id', 'blueprint_id', 'deployment_id', 'deployment_display_name',
        'deployment_creator', 'deployment_resource_tags', 'execution_creator_username', 'execution_token',
        'rest_token', 'rest_host', 'rest_port', 'tenant', 'bypass_maintenance', 'workflow_parameters', 'local',
        'storage', 'runtime_only_evaluation')}
    context.update(type='operation', task_id=str(uuid.uuid4()), task_name=task_name, task_queue=task_queue,
                   task_target=task_target)
    context.update(node_context or {})
    return {key: value for key, value in context.items() if value is not None}


_TYPES = {'string': str, 'integer': int, 'float': (int, float), 'boolean': bool, 'list': list, 'dict': dict}


def _merged(operation, definition, kwargs, allow_override):
    inputs = definition.get('inputs') or {}
    twice = sorted(set(inputs) & set(kwargs))
    if twice and not allow_override:
        raise RuntimeError('Duplicate definition of {0} in operation {1}: they are among its inputs, and '
                           'allow_kwargs_override is not given'.format(', '.join(twice), operation))
    merged = dict(inputs, **kwargs)
    for name, kind in (definition.get('inputs_types') or {}).items():
        kind = kind.get('type') if isinstance(kind, dict) else kind
        wanted = _TYPES.get(kind)
        value = merged.get(name)
        if wanted is None or value is None or _is_function(value):
            continue
        if not isinstance(value, wanted) or (isinstance(value, bool) and kind != 'boolean'):
            raise RuntimeError('Input {0} of operation {1} must be of type {2}, not {3!r}'.format(
                name, operation, kind, value))
    return merged


def _is_function(value):
    """An intrinsic function, whose value is not known yet."""
    return isinstance(value, dict) and len(value) == 1 and next(iter(value)).startswith(('get_', 'concat', 'string_'))
