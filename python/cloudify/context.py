"""`ctx` of an operation (docs/reference/python.md, "ctx")."""
import os
from contextlib import contextmanager
from typing import Any, Dict, Iterator, List, Optional

from cloudify.constants import DEPLOYMENT, NODE_INSTANCE, RELATIONSHIP_INSTANCE
from cloudify.context_parts import (
    AgentContext, BlueprintContext, BootstrapContext, CommonContext, ContextCapabilities, DeploymentContext,
    OperationContext, PluginContext, given)
from cloudify.deployment_folder import DeploymentFolder
from cloudify.endpoint import LocalEndpoint, ManagerEndpoint
from cloudify.exceptions import NonRecoverableError
from cloudify.node import (
    ImmutableProperties, NodeContext, NodeInstanceContext, RelationshipContext, RelationshipSubjectContext)
from cloudify.rest import Manager

__all__ = [
    'DEPLOYMENT', 'NODE_INSTANCE', 'RELATIONSHIP_INSTANCE', 'BlueprintContext', 'BootstrapContext', 'CloudifyContext',
    'CommonContext', 'ContextCapabilities', 'DeploymentContext', 'ImmutableProperties', 'NodeContext',
    'NodeInstanceContext', 'OperationContext', 'PluginContext', 'RelationshipContext', 'RelationshipSubjectContext',
]


class CloudifyContext(CommonContext):
    task_id = given('task_id')
    task_name = given('task_name')
    task_target = given('task_target')
    task_queue = given('task_queue')
    task_type = given('type')
    execution_id = given('execution_id')
    execution_token = given('execution_token')
    execution_env = given('execution_env', dict)
    execution_creator_username = given('execution_creator_username')
    workflow_id = given('workflow_id')
    workflow_parameters = given('workflow_parameters', dict)
    rest_host = given('rest_host')
    rest_port = given('rest_port')
    rest_token = given('rest_token')
    bypass_maintenance = given('bypass_maintenance', False)
    timeout = given('timeout')
    timeout_recoverable = given('timeout_recoverable', False)
    resume = given('resume', False)

    def __init__(self, ctx: Optional[Dict[str, Any]] = None, folder: Optional[str] = None, say: Any = None) -> None:
        super().__init__({} if ctx is None else ctx)
        context = self._context
        self._folder = folder  # the worker removes it when the operation ends, however it ends
        self._say = say  # takes lines for the worker
        self._manager = Manager(context)
        self._logger: Any = None
        self._events: Any = None
        self._tenant: Optional[Dict[str, Any]] = None
        self._provider_context: Optional[Dict[str, Any]] = None
        self._bootstrap_context: Optional[BootstrapContext] = None
        # What a script answered, for script_runner and for plugins that run scripts of their own
        self._return_value: Any = None
        self.is_script_exception_defined = False
        self.blueprint = BlueprintContext(context)
        self.deployment = DeploymentContext(context)
        self.plugin = PluginContext(context)
        self.agent: Any = AgentContext(self)
        self._operation = OperationContext(context.get('operation'))
        self._endpoint: Any = (LocalEndpoint(self, context['storage']) if context.get('local')
                               else ManagerEndpoint(self))
        self._deployment_folder = DeploymentFolder(self)
        self._node = self._instance = self._source = self._target = self._capabilities = None  # type: Any
        self.type = DEPLOYMENT
        self._find_entities()

    # ---- who and where

    @property
    def operation(self) -> OperationContext:
        return self._operation

    @property
    def tenant(self) -> Dict[str, Any]:
        """The tenant's name, and what the manager answers of it to this execution."""
        if self._tenant is None:
            from cloudify_rest_client.exceptions import CloudifyClientError
            tenant = dict(self._context.get('tenant') or {})
            if tenant.get('name') and not self._context.get('local'):
                try:
                    tenant.update(self._manager.call('GET', '/tenants/' + tenant['name']))
                except CloudifyClientError:
                    pass  # not permitted: then the context's is all there is to know
            self._tenant = tenant
        return self._tenant

    @property
    def tenant_name(self) -> Optional[str]:
        return (self._context.get('tenant') or {}).get('name')

    @property
    def rest_ssl_cert(self) -> Optional[str]:
        return os.environ.get('LOCAL_REST_CERT_FILE')

    # ---- entities

    @property
    def node(self) -> Any:
        return self._entity(self._node, 'node')

    @property
    def instance(self) -> Any:
        return self._entity(self._instance, 'instance')

    @property
    def source(self) -> Any:
        return self._entity(self._source, 'source')

    @property
    def target(self) -> Any:
        return self._entity(self._target, 'target')

    @property
    def capabilities(self) -> ContextCapabilities:
        """Deprecated: runtime properties of the instances that this one has relationships to."""
        if self._capabilities is None:
            self._capabilities = ContextCapabilities(self._endpoint, self.instance)
        return self._capabilities

    def instances(self) -> List[Any]:
        """Every instance whose runtime properties this operation may change."""
        if self.type == RELATIONSHIP_INSTANCE:
            return [self.source.instance, self.target.instance]
        return [self.instance] if self.type == NODE_INSTANCE else []

    def evaluation_scope(self) -> Dict[str, str]:
        """What SELF, SOURCE and TARGET mean in intrinsic functions."""
        if self.type == NODE_INSTANCE:
            return {'self': self.instance.id}
        if self.type == RELATIONSHIP_INSTANCE:
            return {'source': self.source.instance.id, 'target': self.target.instance.id,
                    'source_node': self.source.node.id, 'target_node': self.target.node.id}
        return {}

    # ---- saying

    @property
    def logger(self) -> Any:
        if self._logger is None:
            from cloudify.logs import init_cloudify_logger
            self._logger = init_cloudify_logger(
                self._endpoint.get_logging_handler(), self.task_id or 'cloudify_plugin')
        return self._logger

    @property
    def events(self) -> Any:
        """Where logs and events go; it has to be closed."""
        if self._events is None:
            from cloudify.event_sink import EventSink
            self._events = EventSink(self._connect_for_events, {
                'execution_id': self.execution_id, 'manager_name': os.environ.get('MANAGER_NAME'),
                'agent_name': os.environ.get('AGENT_NAME')}, self._say)
        return self._events

    def send_event(self, event: Any) -> None:
        """Sends an event of type plugin_event."""
        self._endpoint.send_plugin_event(message=event)

    # ---- files

    def get_resource(self, resource_path: str) -> bytes:
        return self._endpoint.get_resource(resource_path)

    def get_resource_and_render(self, resource_path: str, template_variables: Optional[Dict[str, Any]] = None) -> bytes:
        from cloudify.rendering import render
        return render(self.get_resource(resource_path), template_variables or {}, self)

    def download_resource(self, resource_path: str, target_path: Optional[str] = None) -> str:
        path = self._endpoint.download_resource(resource_path, self.logger, target_path)
        self.logger.info('Downloaded %s to %s', resource_path, path)
        return path

    def download_resource_and_render(self, resource_path: str, target_path: Optional[str] = None,
                                     template_variables: Optional[Dict[str, Any]] = None) -> str:
        from cloudify.resources import Resources
        content = self.get_resource_and_render(resource_path, template_variables)
        path = Resources(None, {}).download(resource_path, target_path, content)
        self.logger.info('Downloaded %s to %s', resource_path, path)
        return path

    def download_directory(self, resource_path: str, target_path: Optional[str] = None) -> str:
        return self._endpoint.download_directory(resource_path, target_path)

    # ---- the manager's records

    @property
    def provider_context(self) -> Dict[str, Any]:
        if self._provider_context is None:
            self._provider_context = self._endpoint.get_provider_context()
        return self._provider_context

    @property
    def bootstrap_context(self) -> BootstrapContext:
        if self._bootstrap_context is None:
            self._bootstrap_context = BootstrapContext(self._endpoint.get_bootstrap_context())
        return self._bootstrap_context

    def get_config(self, name: Optional[str] = None, scope: Optional[str] = None) -> Any:
        """Configuration entries of the manager: those of a scope, or one by name and scope."""
        return self._endpoint.get_config(name, scope)

    def get_operation(self) -> Any:
        return self._endpoint.get_operation(self.task_id)

    def update_operation(self, state: str) -> None:
        self._endpoint.update_operation(self.task_id, state)

    def get_execution(self, execution_id: Optional[str] = None) -> Any:
        return self._endpoint.get_execution(execution_id or self.execution_id)

    def get_managers(self, network: str = 'default') -> List[Any]:
        return self._endpoint.get_managers(network)

    def get_brokers(self, network: str = 'default') -> List[Any]:
        return self._endpoint.get_brokers(network)

    # ---- the folder of the deployment

    def local_deployment_workdir(self) -> Optional[str]:
        return self._deployment_folder.path()

    def download_deployment_workdir(self) -> None:
        self._deployment_folder.download()

    def upload_deployment_workdir(self) -> None:
        self._deployment_folder.upload()

    @contextmanager
    def sync_deployment_workdir(self) -> Iterator[None]:
        with self._deployment_folder.synced():
            yield

    def upload_deployment_file(self, target_file_path: str, src_file: str, src_file_mtime: Any = None) -> None:
        self._deployment_folder.upload_file(target_file_path, src_file, src_file_mtime)

    def delete_deployment_file(self, file_path: str) -> None:
        self._deployment_folder.delete_file(file_path)

    # ---- inside

    def _find_entities(self) -> None:
        context, related = self._context, self._context.get('related')
        if not context.get('node_id'):
            return
        own = RelationshipSubjectContext(
            {'node_id': context['node_id'], 'node_name': context.get('node_name')}, self._endpoint)
        if not related:
            self.type = NODE_INSTANCE
            self._node, self._instance = own.node, own.instance
            return
        self.type = RELATIONSHIP_INSTANCE
        other = RelationshipSubjectContext(
            {'node_id': related.get('node_id'), 'node_name': related.get('node_name')}, self._endpoint)
        # `is_target` is said of the related one.
        self._source, self._target = (own, other) if related.get('is_target') else (other, own)

    def _entity(self, found: Any, asked: str) -> Any:
        if found is None:
            has = {NODE_INSTANCE: 'ctx.node, ctx.instance', RELATIONSHIP_INSTANCE: 'ctx.source, ctx.target'}
            raise NonRecoverableError('ctx.{0} does not exist in a {1} operation, which has {2}'.format(
                asked, self.type, has.get(self.type, 'none of its kind')))
        return found

    def _connect_for_events(self) -> Any:
        if self._manager.roots()[0].startswith('https:'):
            import ssl  # noqa: F401  # not later, in the thread that sends
        return self._manager.connection()
