"""Installing and uninstalling one instance, as a subgraph (docs/reference/workflows.md, "Install" and "Uninstall")."""
from typing import Any, List, Optional

from cloudify import constants
from cloudify.utils import internal
from cloudify.workflows.tasks import HandlerResult
from cloudify.workflows.tasks_graph import forkjoin

LIFECYCLE = 'cloudify.interfaces.lifecycle.'
RELATIONSHIPS = 'cloudify.interfaces.relationship_lifecycle.'
AGENT = 'cloudify.interfaces.cloudify_agent.'

# States in which a step is done already.
_CREATED = ('created', 'configuring', 'configured', 'starting', 'started')
_CONFIGURED = ('configured', 'starting', 'started')
_STOPPED = ('stopped', 'deleting', 'deleted', 'uninitialized', 'configured')
_DELETED = ('deleted', 'uninitialized')


def is_host_node(instance: Any) -> bool:
    return constants.COMPUTE_NODE_TYPE in instance.node.type_hierarchy


def install_node_instance_subgraph(instance: Any, graph: Any, **kwargs: Any) -> Any:
    """The subgraph `install_<id>`, which is in the graph then."""
    subgraph = graph.subgraph('install_{0}'.format(instance.id))
    steps: List[Any] = []
    if instance.state != 'started':
        if not _anything_to_install(instance):
            steps = [forkjoin(instance.set_state('started'),
                              instance.send_event('Node instance started (nothing to do)'))]
        else:
            steps = _install_steps(instance, subgraph)
    subgraph.sequence().add(*steps)
    return subgraph


def uninstall_node_instance_subgraph(instance: Any, graph: Any, ignore_failure: bool = False) -> Any:
    """The subgraph `<id>`. With `ignore_failure` what fails is told and left."""
    subgraph = graph.subgraph(instance.id)
    subgraph.sequence().add(*_uninstall_steps(instance, subgraph))
    if ignore_failure:
        ignore_subgraph_on_task_failure(subgraph)
        for task in list(subgraph.tasks.values()):
            set_send_node_event_on_error_handler(task, instance)
    return subgraph


def stub_subgraph(instance: Any, graph: Any) -> Any:
    """Stands for an instance that nothing is done to, so that the order through it holds."""
    return graph.subgraph('stub_{0}'.format(instance.id))


# ---- steps


def _anything_to_install(instance: Any) -> bool:
    node = instance.node
    names = [LIFECYCLE + name for name in ('precreate', 'create', 'configure', 'start', 'poststart')]
    names += ['cloudify.interfaces.validation.create', 'cloudify.interfaces.monitoring.start']
    return (is_host_node(instance) or any(node.has_operation(name) for name in names)
            or any(_relationship_is_implemented(relationship, name) for relationship in instance.relationships
                   for name in ('preconfigure', 'postconfigure', 'establish')))


def _install_steps(instance: Any, subgraph: Any) -> List[Any]:
    state = instance.state
    steps: List[Any] = []
    if state not in ('creating',) + _CREATED:
        steps.append(instance.set_state('initializing'))
        steps += _operation(instance, 'cloudify.interfaces.validation.create',
                            'Validating node instance before creation', 'Node instance validated before creation')
        steps += _operation(instance, LIFECYCLE + 'precreate', 'Precreating node instance',
                            'Node instance precreated')
    if state not in _CREATED:
        steps += _operation(instance, LIFECYCLE + 'create', 'Creating node instance', 'Node instance created',
                            'creating', 'created')
    if state not in _CONFIGURED:
        steps += relationship_steps(instance, subgraph, 'preconfigure', 'Pre-configuring relationships',
                                    'Relationships pre-configured')
        steps += _operation(instance, LIFECYCLE + 'configure', 'Configuring node instance',
                            'Node instance configured', 'configuring', 'configured')
        steps += relationship_steps(instance, subgraph, 'postconfigure', 'Post-configuring relationships',
                                    'Relationships post-configured')
    steps += _operation(instance, LIFECYCLE + 'start', 'Starting node instance', None, 'starting')
    if is_host_node(instance):
        steps += _host_started(instance)
    steps += _operation(instance, LIFECYCLE + 'poststart', 'Poststarting node instance', 'Node instance poststarted')
    steps += _silent(instance, 'cloudify.interfaces.monitoring.start')
    steps += relationship_steps(instance, subgraph, 'establish', 'Establishing relationships',
                                'Relationships established')
    steps.append(forkjoin(instance.set_state('started'), instance.send_event('Node instance started')))
    return steps


def _uninstall_steps(instance: Any, subgraph: Any) -> List[Any]:
    state, node = instance.state, instance.node
    validation = 'cloudify.interfaces.validation.delete'
    nothing_to_validate = instance.send_event('Validating node instance after deletion: nothing to do')
    steps: List[Any] = []
    if state in _STOPPED:
        steps += [nothing_to_validate, instance.send_event('Stop: instance already {0}'.format(state))]
        if state in ('uninitialized', 'configured'):
            steps.append(instance.set_state('stopped'))
    else:
        steps.append(forkjoin(instance.set_state('stopping'), instance.send_event('Stopping node instance')))
        if node.has_operation(validation):
            steps += _operation(instance, validation, 'Validating node instance before deletion',
                                'Node instance validated before deletion')
        else:
            steps.append(nothing_to_validate)
        steps += _silent(instance, 'cloudify.interfaces.monitoring.stop')
        if node.has_operation(LIFECYCLE + 'prestop'):
            steps += _operation(instance, LIFECYCLE + 'prestop', 'Prestopping node instance',
                                'Node instance prestopped')
        if is_host_node(instance):
            steps += _host_stopped(instance)
        steps += _done_or_nothing(instance, 'stop', 'Stopped node instance')
        steps.append(instance.set_state('stopped'))
    if state in _DELETED:
        steps.append(instance.send_event('Delete: instance already {0}'.format(state)))
    else:
        steps += relationship_steps(instance, subgraph, 'unlink', 'Unlinking relationships',
                                    'Relationships unlinked', backwards=True)
        steps.append(forkjoin(instance.set_state('deleting'), instance.send_event('Deleting node instance')))
        if node.has_operation(LIFECYCLE + 'delete'):
            steps.append(instance.execute_operation(LIFECYCLE + 'delete'))
        else:
            steps.append(instance.send_event('Deleting node instance: nothing to do'))
        if node.has_operation(LIFECYCLE + 'postdelete'):
            steps += _operation(instance, LIFECYCLE + 'postdelete', 'Postdeleting node instance',
                                'Node instance postdeleted')
    if state != 'deleted':
        steps.append(forkjoin(instance.set_state('deleted'), instance.send_event('Deleted node instance')))
    return steps


def _operation(instance: Any, operation: str, before: str, after: Optional[str], state_before: Optional[str] = None,
               state_after: Optional[str] = None) -> List[Any]:
    if not instance.node.has_operation(operation):
        return [instance.send_event(before + ': nothing to do')]
    return [_told(instance, state_before, before), instance.execute_operation(operation)] + (
        [_told(instance, state_after, after)] if after else [])


def _told(instance: Any, state: Optional[str], event: str) -> Any:
    return forkjoin(instance.set_state(state), instance.send_event(event)) if state else instance.send_event(event)


def _silent(instance: Any, operation: str) -> List[Any]:
    return [instance.execute_operation(operation)] if instance.node.has_operation(operation) else []


def _done_or_nothing(instance: Any, operation: str, event: str) -> List[Any]:
    if instance.node.has_operation(LIFECYCLE + operation):
        return [instance.execute_operation(LIFECYCLE + operation), instance.send_event(event)]
    return [instance.send_event(event + ': nothing to do')]


# ---- hosts


def prepare_running_agent(host_node_instance: Any) -> List[Any]:
    """The tasks that bring an agent onto a host that runs."""
    method = internal.get_install_method(host_node_instance.node.properties)
    tasks: List[Any] = []
    if method != constants.AGENT_INSTALL_METHOD_NONE:
        tasks += [host_node_instance.send_event('Creating agent'),
                  host_node_instance.execute_operation(AGENT + 'create'),
                  host_node_instance.send_event('Agent created')]
        if method in (constants.AGENT_INSTALL_METHOD_PLUGIN, constants.AGENT_INSTALL_METHOD_INIT_SCRIPT):
            tasks += [host_node_instance.send_event('Waiting for agent to start'),
                      host_node_instance.execute_operation(AGENT + 'start'),
                      host_node_instance.send_event('Agent started')]
    for operation in ('install', 'start'):
        tasks += _silent(host_node_instance, 'cloudify.interfaces.monitoring_agent.' + operation)
    return tasks


def plugins_install_task(host_node_instance: Any, plugins: Any) -> Any:
    """None: workers install no plugins for a workflow here."""


plugins_uninstall_task = plugins_install_task


def _host_started(instance: Any) -> List[Any]:
    tasks = []
    operation = 'cloudify.interfaces.host.get_state'
    if instance.node.has_operation(operation):
        task = instance.execute_operation(operation)
        task.on_success = wait_for_host_to_start
        tasks.append(task)
    return tasks + prepare_running_agent(instance)


def _host_stopped(instance: Any) -> List[Any]:
    tasks: List[Any] = []
    for operation in ('stop', 'uninstall'):
        tasks += _silent(instance, 'cloudify.interfaces.monitoring_agent.' + operation)
    method = internal.get_install_method(instance.node.properties)
    if method == constants.AGENT_INSTALL_METHOD_NONE:
        return tasks
    stop = 'stop_amqp' if method in constants.AGENT_INSTALL_METHODS_SCRIPTS else 'stop'
    return tasks + [instance.send_event('Stopping agent'), instance.execute_operation(AGENT + stop),
                    instance.send_event('Deleting agent'), instance.execute_operation(AGENT + 'delete'),
                    instance.send_event('Agent deleted')]


def wait_for_host_to_start(task: Any) -> HandlerResult:
    """Asked again, without limit, until it answers something."""
    if task.async_result.result:
        return HandlerResult.cont()
    return HandlerResult.retry(ignore_total_retries=True)


# ---- relationships


def relationship_steps(instance: Any, subgraph: Any, operation: str, before: str, after: str,
                       backwards: bool = False, targets: Any = None) -> List[Any]:
    """One relationship after the other, the two sides of each at once. `targets`: ids of instances, None for all."""
    relationships = [one for one in instance.relationships
                     if (targets is None or one.target_id in targets) and _relationship_is_implemented(one, operation)]
    if not relationships:
        return []
    inner = subgraph.subgraph('{0}_subgraph'.format(operation))
    sequence = inner.sequence()
    for relationship in reversed(relationships) if backwards else relationships:
        sequence.add(forkjoin(relationship.execute_source_operation(RELATIONSHIPS + operation),
                              relationship.execute_target_operation(RELATIONSHIPS + operation)))
    return [instance.send_event(before), inner, instance.send_event(after)]


def _relationship_is_implemented(relationship: Any, operation: str) -> bool:
    definition = relationship.relationship
    return any((operations.get(RELATIONSHIPS + operation) or {}).get('operation')
               for operations in (definition.source_operations, definition.target_operations))


# ---- failures


def set_send_node_event_on_error_handler(task: Any, instance: Any) -> None:
    """A failure is told by an event of the instance, and ignored."""
    task.on_failure = SendNodeEventHandler(instance)


def ignore_subgraph_on_task_failure(subgraph: Any) -> None:
    """What fails in it does not stop what comes after."""
    for task in subgraph.tasks.values():
        if task.is_subgraph:
            ignore_subgraph_on_task_failure(task)
        else:
            task.on_failure = ignore_failure


def ignore_failure(task: Any) -> HandlerResult:
    return HandlerResult.ignore()


class SendNodeEventHandler:
    def __init__(self, instance: Any = None, node_instance_id: Optional[str] = None) -> None:
        self.node_instance_id = node_instance_id or instance.id

    def dump(self) -> Any:
        return {'node_instance_id': self.node_instance_id}

    def __call__(self, task: Any) -> HandlerResult:
        from cloudify.logs import send_workflow_node_event
        ctx = task.workflow_context
        instance = ctx.get_node_instance(self.node_instance_id)
        if instance is not None:
            send_workflow_node_event(instance, 'workflow_node_event', 'Ignoring task {0} failure'.format(task.name),
                                     out_func=ctx.internal.handler.event_out)
        return HandlerResult.ignore()
