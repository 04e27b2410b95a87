"""`ctx` of workflow functions (docs/reference/python-workflows.md)."""
import copy
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, Iterator, List, Optional

from cloudify.context_parts import BlueprintContext, CommonContext, DeploymentContext, given
from cloudify.rest import Manager
from cloudify.workflows import tasks
from cloudify.workflows.nodes import (
    CloudifyWorkflowNode, CloudifyWorkflowNodeInstance, CloudifyWorkflowRelationship,
    CloudifyWorkflowRelationshipInstance, NodesAndInstances)
from cloudify.workflows.operations import make_context
from cloudify.workflows.tasks_graph import TaskDependencyGraph
from cloudify.workflows.workflow_handlers import LocalHandler, ManagerHandler

__all__ = [
    'CloudifyWorkflowContext', 'CloudifyWorkflowNode', 'CloudifyWorkflowNodeInstance', 'CloudifyWorkflowRelationship',
    'CloudifyWorkflowRelationshipInstance', 'DEFAULT_LOCAL_TASK_THREAD_POOL_SIZE', 'Modification',
    'WorkflowDeploymentContext', 'task_config',
]

DEFAULT_LOCAL_TASK_THREAD_POOL_SIZE = 8

# Those that begin before there are nodes, or end after.
_WITHOUT_NODES = ('upload_blueprint', 'create_deployment_environment', 'delete_deployment_environment')


def task_config(fn: Optional[Callable[..., Any]] = None, **arguments: Any) -> Any:
    """Decorator of a local task: its total_retries, retry_interval, send_task_events."""
    if fn is None:
        return lambda function: task_config(function, **arguments)
    fn.workflow_task_config = arguments  # type: ignore[attr-defined]
    return fn


class ModificationNodes(NodesAndInstances):
    """The instances that a modification adds or removes, with those that they are related to."""

    def __init__(self, modification: 'Modification', instances: List[Dict[str, Any]]) -> None:
        wanted = {row['node_id'] for row in instances}
        ctx = modification.workflow_ctx
        super().__init__(ctx, [node._node for node in ctx.nodes if node.id in wanted], instances)


class Modification:
    """A change of how many instances a deployment has; it has to be finished or rolled back."""

    def __init__(self, workflow_ctx: Any, modification: Dict[str, Any]) -> None:
        self.workflow_ctx = workflow_ctx
        self._raw_modification = modification
        instances = modification['node_instances']
        self.added = ModificationNodes(self, instances['added_and_related'])
        self.removed = ModificationNodes(self, instances['removed_and_related'])

    @property
    def id(self) -> str:
        return self._raw_modification['id']

    def finish(self) -> None:
        self.workflow_ctx.internal.handler.modification('finish', self)

    def rollback(self) -> None:
        self.workflow_ctx.internal.handler.modification('rollback', self)


class WorkflowDeploymentContext(DeploymentContext):
    def __init__(self, context: Dict[str, Any], workflow_ctx: Any) -> None:
        super().__init__(context)
        self.workflow_ctx = workflow_ctx
        self._scaling_groups: Optional[Dict[str, Any]] = None
        self._resource_tags: Optional[Dict[str, Any]] = None

    @property
    def scaling_groups(self) -> Dict[str, Any]:
        if self._scaling_groups is None:
            self._scaling_groups = self.workflow_ctx.internal.handler.scaling_groups()
        return self._scaling_groups

    @property
    def resource_tags(self) -> Dict[str, Any]:  # type: ignore[override]
        """With the functions in them evaluated."""
        if self._resource_tags is None:
            tags = self._context.get('deployment_resource_tags') or {}
            self._resource_tags = self.workflow_ctx.internal.evaluate_functions(tags) if tags else {}
        return self._resource_tags or {}

    def start_modification(self, nodes: Dict[str, Any]) -> Modification:
        """`nodes`: {node: {'instances': N, …}}"""
        handler = self.workflow_ctx.internal.handler
        modification = Modification(self.workflow_ctx, handler.start_modification(nodes))
        self.workflow_ctx.refresh_node_instances()
        return modification

    def list_started_modifications(self) -> List[Modification]:
        return [Modification(self.workflow_ctx, row)
                for row in self.workflow_ctx.internal.handler.started_modifications()]


class WorkflowInternal:
    """What the classes of this package need of each other."""

    def __init__(self, workflow_ctx: Any, handler: Any) -> None:
        self.workflow_ctx = workflow_ctx
        self.handler = handler
        self.graph_mode = False
        self.engine: Any = None  # of the worker that runs this workflow
        self._task_graph: Optional[TaskDependencyGraph] = None
        self._pool: Optional[ThreadPoolExecutor] = None
        self._lock = threading.Lock()

    @property
    def task_graph(self) -> TaskDependencyGraph:
        if self._task_graph is None:
            self._task_graph = TaskDependencyGraph(
                self.workflow_ctx, default_subgraph_task_config=self.get_subgraph_task_configuration())
        return self._task_graph

    def run_local(self, function: Callable[[], Any]) -> None:
        """In a thread that has this workflow as its current one."""
        from cloudify.state import current_workflow_ctx
        ctx = self.workflow_ctx
        parameters = ctx._context.get('workflow_parameters')

        def run():
            with current_workflow_ctx.push(ctx, parameters):
                function()
        with self._lock:
            if self._pool is None:
                size = ctx._context.get('local_task_thread_pool_size') or DEFAULT_LOCAL_TASK_THREAD_POOL_SIZE
                self._pool = ThreadPoolExecutor(size, 'local task')
            self._pool.submit(run)

    def stop_local_tasks(self) -> None:
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown()

    def get_task_configuration(self) -> Dict[str, Any]:
        """How often a task is tried again, and after how many seconds."""
        return {'total_retries': self._setting('task_retries', tasks.DEFAULT_TOTAL_RETRIES),
                'retry_interval': self._setting('task_retry_interval', tasks.DEFAULT_RETRY_INTERVAL)}

    def get_subgraph_task_configuration(self) -> Dict[str, Any]:
        return {'total_retries': self._setting('subgraph_retries', tasks.DEFAULT_SUBGRAPH_TOTAL_RETRIES)}

    def send_workflow_event(self, event_type: str, message: Optional[str] = None, args: Any = None,
                            additional_context: Optional[Dict[str, Any]] = None) -> None:
        from cloudify.logs import send_workflow_event
        send_workflow_event(self.workflow_ctx, event_type, message, args, additional_context, self.handler.event_out)

    def evaluate_functions(self, payload: Any) -> Any:
        return self.handler.evaluate_functions(payload)

    def _setting(self, name: str, default: Any) -> Any:
        if self.engine is not None:  # the worker has said it
            own = self.workflow_ctx._context.get(name)
            return default if own is None else own
        stored = (self.workflow_ctx.bootstrap_context.get('workflows') or {}).get(name)
        if stored is not None:
            return stored
        own = self.workflow_ctx._context.get(name)
        return default if own is None else own


class CloudifyWorkflowContext(CommonContext):
    execution_id = given('execution_id')
    workflow_id = given('workflow_id')
    workflow_parameters = given('workflow_parameters', dict)
    rest_host = given('rest_host')
    rest_port = given('rest_port')
    rest_token = given('rest_token')
    execution_token = given('execution_token')
    execution_creator_username = given('execution_creator_username')
    bypass_maintenance = given('bypass_maintenance', False)
    local = given('local', False)
    dry_run = given('dry_run', False)
    wait_after_fail = given('wait_after_fail', 600)
    resume = given('resume', False)
    tenant = given('tenant', dict)

    def __init__(self, ctx: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(ctx)
        self._manager = Manager(self._context)
        self._logger: Any = None
        self._events: Any = None
        self._bootstrap_context: Optional[Dict[str, Any]] = None
        self.blueprint = BlueprintContext(self._context)
        self.deployment = WorkflowDeploymentContext(self._context, self)
        handler = LocalHandler(self) if self.local else ManagerHandler(self)
        self.internal = WorkflowInternal(self, handler)
        self._loaded: Optional[NodesAndInstances] = None
        self._folder: Optional[str] = None  # of the process, on a worker
        if self.workflow_id in _WITHOUT_NODES or not (self.local or self.deployment.id):
            self._loaded = NodesAndInstances(self, [], [])
        elif self.local:
            self.refresh_node_instances()

    @property
    def tenant_name(self) -> Optional[str]:
        return self.tenant.get('name')

    # ---- nodes

    @property
    def _nodes_and_instances(self) -> NodesAndInstances:
        """As they are when somebody looks at them first."""
        if self._loaded is None:
            self.refresh_node_instances()
        assert self._loaded is not None
        return self._loaded

    def _known_instance(self, node_instance_id: str) -> Any:
        return None if self._loaded is None else self._loaded.get_node_instance(node_instance_id)

    @property
    def nodes(self) -> Iterator[CloudifyWorkflowNode]:
        return self._nodes_and_instances.nodes

    @property
    def node_instances(self) -> Iterator[CloudifyWorkflowNodeInstance]:
        return self._nodes_and_instances.node_instances

    def get_node(self, node_id: str) -> Any:
        return self._nodes_and_instances.get_node(node_id)

    def get_node_instance(self, node_instance_id: str) -> Any:
        return self._nodes_and_instances.get_node_instance(node_instance_id)

    def refresh_node_instances(self) -> None:
        """Reads all of them anew; the objects are others then."""
        handler = self.internal.handler
        self._loaded = NodesAndInstances(self, handler.get_nodes(), handler.get_node_instances())

    # ---- saying

    @property
    def logger(self) -> Any:
        if self._logger is None:
            from cloudify.logs import CloudifyWorkflowLoggingHandler, init_cloudify_logger
            self._logger = init_cloudify_logger(
                CloudifyWorkflowLoggingHandler(self, self.internal.handler.log_out), self.execution_id or 'workflow')
        return self._logger

    @property
    def events(self) -> Any:
        if self._events is None:
            from cloudify.event_sink import EventSink
            self._events = EventSink(self._manager.connection, {'execution_id': self.execution_id})
        return self._events

    def send_event(self, event: Any, event_type: str = 'workflow_stage', args: Any = None,
                   additional_context: Optional[Dict[str, Any]] = None) -> Any:
        return self._process_task(tasks.SendWorkflowEventTask(
            self, event=event, event_type=event_type, args=args, additional_context=additional_context))

    # ---- tasks

    def graph_mode(self) -> TaskDependencyGraph:
        """From now on what is asked for becomes a task of this graph, and is not started."""
        if self.internal._task_graph is not None and not self.internal.graph_mode:
            raise RuntimeError('Cannot switch to graph mode: tasks ran already')
        self.internal.graph_mode = True
        return self.internal.task_graph

    def update_execution_status(self, new_status: str) -> Any:
        return self._process_task(tasks.UpdateExecutionStatusTask(self, new_status))

    def execute_task(self, task_name: str, local: bool = True, task_queue: Optional[str] = None,
                     task_target: Optional[str] = None, kwargs: Optional[Dict[str, Any]] = None,
                     node_context: Optional[Dict[str, Any]] = None, send_task_events: bool = True,
                     total_retries: Optional[int] = None, retry_interval: Optional[float] = None,
                     timeout: Optional[float] = None, timeout_recoverable: Optional[bool] = None) -> Any:
        """A function by its name: here in a thread, or on a worker."""
        kwargs = copy.deepcopy(kwargs or {})
        context = make_context(self, task_name, node_context, task_queue, task_target)
        if not local:
            return self.remote_task(kwargs, context, context['task_id'], task_queue, task_target, send_task_events,
                                    total_retries, retry_interval)
        from cloudify.dispatch import dispatch
        kwargs['__cloudify_context'] = context
        return self.local_task(
            lambda **given: dispatch(given.pop('__cloudify_context'), **given), info=task_name, name=task_name,
            kwargs=kwargs, task_id=context['task_id'], send_task_events=send_task_events,
            total_retries=total_retries, retry_interval=retry_interval)

    def local_task(self, local_task: Callable[..., Any], node: Any = None, info: Any = None,
                   kwargs: Optional[Dict[str, Any]] = None, task_id: Optional[str] = None, name: Optional[str] = None,
                   send_task_events: bool = True, override_task_config: bool = False,
                   total_retries: Optional[int] = None, retry_interval: Optional[float] = None) -> Any:
        called = {'send_task_events': send_task_events, 'total_retries': total_retries,
                  'retry_interval': retry_interval, 'kwargs': kwargs, 'task_id': task_id, 'name': name, 'info': info}
        called = {key: value for key, value in called.items() if value is not None}
        marked = getattr(local_task, 'workflow_task_config', {})
        settings = self.internal.get_task_configuration()
        for layer in ((marked, called) if override_task_config else (called, marked)):
            settings.update(layer)
        is_shown = self.dry_run and self.internal.engine is None
        kind = tasks.DryRunLocalWorkflowTask if is_shown else tasks.LocalWorkflowTask
        return self._process_task(kind(local_task, self, node, **settings))

    def remote_task(self, kwargs: Optional[Dict[str, Any]], cloudify_context: Dict[str, Any],
                    task_id: Optional[str] = None, task_queue: Optional[str] = None,
                    task_target: Optional[str] = None, send_task_events: bool = True,
                    total_retries: Optional[int] = None, retry_interval: Optional[float] = None) -> Any:
        settings = self.internal.get_task_configuration()
        if total_retries is not None:
            settings['total_retries'] = total_retries
        if retry_interval is not None:
            settings['retry_interval'] = retry_interval
        if self.dry_run and self.internal.engine is None:
            return self._process_task(tasks.DryRunLocalWorkflowTask(
                None, self, name=cloudify_context.get('task_name'), task_id=task_id, **settings))
        return self._process_task(tasks.RemoteWorkflowTask(
            kwargs or {}, cloudify_context, self, task_id, task_queue, task_target,
            timeout=cloudify_context.get('timeout'), timeout_recoverable=cloudify_context.get('timeout_recoverable'),
            send_task_events=send_task_events, **settings))

    def _process_task(self, task: Any) -> Any:
        """In graph mode the task; else its result, and it is started."""
        if self.internal.graph_mode:
            return task
        self.internal.task_graph  # from now on it is too late for graph mode
        engine = self.internal.engine
        return task.apply_async() if engine is None else engine.start(task)

    # ---- the manager's records

    def update_node_instance(self, node_instance_id: str, version: int = 0, state: Optional[str] = None,
                             runtime_properties: Optional[Dict[str, Any]] = None,
                             system_properties: Optional[Dict[str, Any]] = None,
                             relationships: Optional[List[Any]] = None, force: bool = False) -> Any:
        """At once, in graph mode too. What this context knows of the instance changes with it."""
        changes = {key: value for key, value in (
            ('state', state), ('runtime_properties', runtime_properties), ('system_properties', system_properties),
            ('relationships', relationships)) if value is not None}
        row = self.internal.handler.update_node_instance(node_instance_id, version, force, changes)
        known = self.get_node_instance(node_instance_id)
        if known is not None:
            known._node_instance.update(changes, **({'version': row['version']} if row else {}))
        return row

    @property
    def bootstrap_context(self) -> Dict[str, Any]:
        if self._bootstrap_context is None:
            self._bootstrap_context = self.internal.handler.bootstrap_context()
        return self._bootstrap_context or {}

    def __getattr__(self, name: str) -> Any:
        """The rest of the manager's records: see workflow_handlers.RECORDS."""
        from cloudify.workflows.workflow_handlers import RECORDS
        if name not in RECORDS:
            raise AttributeError('the ctx of workflows has no {0}'.format(name))
        return getattr(self.internal.handler, name)

    def download_resource(self, resource_path: str, target_path: Optional[str] = None) -> str:
        return self.internal.handler.download_deployment_resource(resource_path, target_path, logger=self.logger)

    def get_resource(self, resource_path: str) -> bytes:
        return self.internal.handler.get_resource(resource_path)
