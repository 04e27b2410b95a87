"""Where a context reads and stores: the manager, or a storage in memory (docs/reference/python.md, "Endpoints")."""
import os
from typing import Any, Dict, List, Optional

from cloudify.exceptions import HttpException, NonRecoverableError
from cloudify.node_instance import NodeInstance, patch
from cloudify.records import Record, records


class Endpoint:
    """What both have in common. `ctx` is the operation's or the workflow's."""

    def __init__(self, ctx: Any) -> None:
        self.ctx = ctx

    def get_node(self, node_id: str, instance_context: Optional[str] = None) -> Dict[str, Any]:
        raise NotImplementedError

    def get_node_instance(self, node_instance_id: str) -> NodeInstance:
        raise NotImplementedError

    def update_node_instance(self, node_instance: NodeInstance) -> None:
        raise NotImplementedError

    def get_provider_context(self) -> Dict[str, Any]:
        raise NotImplementedError

    def get_bootstrap_context(self) -> Dict[str, Any]:
        return self.get_provider_context().get('cloudify') or {}

    log_out: Any = None  # functions of cloudify.logs; None: to the manager
    event_out: Any = None

    def get_logging_handler(self) -> Any:
        from cloudify.logs import CloudifyPluginLoggingHandler
        return CloudifyPluginLoggingHandler(self.ctx, self.log_out)

    def send_plugin_event(self, message: Optional[str] = None, args: Any = None,
                          additional_context: Optional[Dict[str, Any]] = None) -> None:
        from cloudify.logs import send_plugin_event
        send_plugin_event(self.ctx, message, args, additional_context, self.event_out)

    def get_host_node_instance_ip(self, host_id: str, properties: Optional[Dict[str, Any]] = None,
                                  runtime_properties: Optional[Dict[str, Any]] = None) -> str:
        """The host's runtime property `ip`, else its property: of those given, else of the stored ones."""
        if not host_id:
            raise NonRecoverableError('The instance is not contained in a host, so it has no host_ip')
        host = None
        if runtime_properties is None:
            host = self.get_node_instance(host_id)
            runtime_properties = host.runtime_properties
        address = runtime_properties.get('ip')
        if not address:
            if properties is None:
                host = host or self.get_node_instance(host_id)
                properties = self.get_node(str(host.node_id), host_id).get('properties') or {}
            address = properties.get('ip')
        if not address:
            raise NonRecoverableError('Host {0} has neither a runtime property nor a property "ip"'.format(host_id))
        return address

    def get_workdir(self) -> str:
        """The folder for an operation's own files on this machine: the deployment's, where folders of deployments
        are kept."""
        root = os.environ.get('AGENT_WORK_DIR') or os.getcwd()
        parent = os.path.join(root, 'deployments', self.ctx.tenant_name or '')
        if self.ctx.deployment.id and os.path.isdir(parent):
            return os.path.join(parent, self.ctx.deployment.id)
        return root


class ManagerEndpoint(Endpoint):
    """The manager over REST."""

    def __init__(self, ctx: Any) -> None:
        super().__init__(ctx)
        from cloudify.resources import Resources
        self._manager = ctx._manager
        self.resources = Resources(ctx._manager, ctx._context)

    def get_node(self, node_id: str, instance_context: Optional[str] = None) -> Dict[str, Any]:
        deployment = self.ctx.deployment.id
        found = self._manager.call('GET', '/nodes', {
            'deployment_id': deployment, 'id': node_id, '_evaluate_functions': True,
            '_instance_context': instance_context})['items']
        if not found:
            raise NonRecoverableError('Deployment {0} has no node {1}'.format(deployment, node_id))
        return found[0]

    def get_node_instance(self, node_instance_id: str) -> NodeInstance:
        return NodeInstance.of(self._manager.call(
            'GET', '/node-instances/' + node_instance_id, {'_evaluate_functions': True}))

    def update_node_instance(self, node_instance: NodeInstance) -> None:
        patch(node_instance, lambda body: self._manager.call(
            'PATCH', '/node-instances/' + node_instance.id, body=body))

    def get_resource(self, resource_path: str) -> bytes:
        return self.resources.get(resource_path)

    def download_resource(self, resource_path: str, logger: Any = None, target_path: Optional[str] = None) -> str:
        return self.resources.download(resource_path, target_path)

    def download_directory(self, resource_path: str, target_path: Optional[str] = None,
                           preview_only: bool = False) -> Any:
        """With `preview_only` the list of the folder's files, else the path of a copy."""
        if preview_only:
            return self.resources.index(resource_path)
        return self.resources.download_directory(resource_path, target_path)

    def get_provider_context(self) -> Dict[str, Any]:
        return self._manager.call('GET', '/provider/context').get('context') or {}

    def evaluate_functions(self, payload: Any) -> Any:
        return self._manager.call('POST', '/evaluate/functions', body={
            'deployment_id': self.ctx.deployment.id, 'context': self.ctx.evaluation_scope(),
            'payload': payload})['payload']

    def get_config(self, name: Optional[str] = None, scope: Optional[str] = None) -> Any:
        """Those of a scope as a list; with name and scope, the one."""
        if name and scope:
            return Record(self._manager.call('GET', '/config/{0}.{1}'.format(scope, name)))
        found = records(self._manager.call('GET', '/config', {'scope': scope} if scope else None).get('items', []))
        return [one for one in found if name in (None, one['name'])]

    def get_operation(self, operation_id: str) -> Record:
        return Record(self._manager.call('GET', '/operations/' + operation_id))

    def update_operation(self, operation_id: str, state: str) -> None:
        self._manager.call('PATCH', '/operations/' + operation_id, body={
            'state': state, 'agent_name': os.environ.get('AGENT_NAME'),
            'manager_name': os.environ.get('MANAGER_NAME')})

    def get_execution(self, execution_id: str) -> Record:
        return Record(self._manager.call('GET', '/executions/' + execution_id))

    def get_managers(self, network: str = 'default') -> List[Record]:
        return records(self._manager.call('GET', '/managers')['items'])

    def get_brokers(self, network: str = 'default') -> List[Record]:
        return records(self._manager.call('GET', '/brokers')['items'])


class LocalEndpoint(Endpoint):
    """A storage of cloudify.workflows.local: no manager, so nothing that only a manager has."""

    def __init__(self, ctx: Any, storage: Any) -> None:
        super().__init__(ctx)
        from cloudify.logs import stdout_event_out, stdout_log_out
        self.storage = storage
        self.log_out, self.event_out = stdout_log_out, stdout_event_out

    def get_node(self, node_id: str, instance_context: Optional[str] = None) -> Dict[str, Any]:
        return self.storage.get_node(node_id)

    def get_node_instance(self, node_instance_id: str) -> NodeInstance:
        return NodeInstance.of(self.storage.get_node_instance(node_instance_id))

    def update_node_instance(self, node_instance: NodeInstance) -> None:
        def send(body):
            return self.storage.update_node_instance(node_instance.id, **body)
        patch(node_instance, send)

    def get_resource(self, resource_path: str) -> bytes:
        root = getattr(self.storage, 'resources_root', None)
        place = os.path.join(root, resource_path.lstrip('/')) if root else None
        if place is None or not os.path.isfile(place):
            raise HttpException(resource_path, 404, 'no such file below {0}'.format(root))
        with open(place, 'rb') as source:
            return source.read()

    def download_resource(self, resource_path: str, logger: Any = None, target_path: Optional[str] = None) -> str:
        from cloudify.resources import Resources
        return Resources(None, {}).download(resource_path, target_path, self.get_resource(resource_path))

    def download_directory(self, resource_path: str, target_path: Optional[str] = None,
                           preview_only: bool = False) -> Any:
        import shutil
        import tempfile
        from cloudify.resources import exec_folder
        source = os.path.join(getattr(self.storage, 'resources_root', None) or '', resource_path.lstrip('/'))
        if preview_only:
            return sorted(os.path.relpath(os.path.join(folder, name), source)
                          for folder, _, names in os.walk(source) for name in names)
        target = target_path or os.path.join(tempfile.mkdtemp(dir=exec_folder()), os.path.basename(source))
        shutil.copytree(source, target)
        return target

    def get_provider_context(self) -> Dict[str, Any]:
        return getattr(self.storage, 'provider_context', None) or {}

    def get_workdir(self) -> str:
        return self.storage.get_workdir()

    def evaluate_functions(self, payload: Any) -> Any:
        raise self._needs_manager('intrinsic functions')

    def get_config(self, name: Optional[str] = None, scope: Optional[str] = None) -> Any:
        return []

    def get_operation(self, operation_id: str) -> Any:
        return None  # nothing is recorded of the operations of a local run

    def update_operation(self, operation_id: str, state: str) -> None:
        """Nothing: see get_operation."""

    def get_execution(self, execution_id: str) -> Any:
        return self.storage.get_execution(execution_id)

    def get_managers(self, network: str = 'default') -> List[Record]:
        raise self._needs_manager('managers')

    def get_brokers(self, network: str = 'default') -> List[Record]:
        raise self._needs_manager('brokers')

    def _needs_manager(self, what: str) -> NonRecoverableError:
        return NonRecoverableError('A local run has no {0}: run it on a manager (`tutti serve` starts one), or give '
                                   'the test a cloudify.mocks.MockCloudifyContext'.format(what))
