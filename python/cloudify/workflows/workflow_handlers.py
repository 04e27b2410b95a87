"""Where a workflow's context reads and stores: the manager, or a storage in memory."""
from typing import Any, Dict, List, Optional

from cloudify.exceptions import NonRecoverableError

# ctx.NAME: requests for the manager's records, at once in graph mode too.
RECORDS = (
    'get_execution', 'get_operations', 'get_tasks_graph', 'store_tasks_graph', 'store_operation', 'update_operation',
    'remove_operation', 'set_deployment_attributes', 'get_deployment_update', 'set_deployment_update_attributes',
    'get_blueprint', 'get_deployment', 'list_nodes', 'list_node_instances', 'update_node', 'delete_node',
    'delete_node_instance', 'create_nodes', 'create_node_instances', 'list_execution_schedules',
    'update_execution_schedule', 'create_execution_schedule', 'get_managers', 'list_idds', 'update_idds', 'get_secret',
    'start_execution')


class ManagerHandler:
    log_out = event_out = None  # to the manager

    def __init__(self, ctx: Any) -> None:
        self._ctx = ctx

    @property
    def rest_client(self) -> Any:
        from cloudify_rest_client.client import CloudifyClient
        return CloudifyClient(connection=self._ctx._manager.connection())

    # ---- nodes

    def get_nodes(self) -> List[Dict[str, Any]]:
        evaluated = {'_evaluate_functions': True} if self._ctx._context.get('runtime_only_evaluation') else {}
        return self._all('/nodes', evaluated)

    def get_node_instances(self) -> List[Dict[str, Any]]:
        return self._all('/node-instances', {})

    def get_node_instance(self, node_instance_id: str) -> Dict[str, Any]:
        return self._call('GET', '/node-instances/' + node_instance_id)

    def update_node_instance(self, node_instance_id: str, version: int, force: bool, changes: Dict[str, Any]) -> Any:
        return self._call('PATCH', '/node-instances/' + node_instance_id, {'force': True} if force else None,
                          dict(changes, version=version))

    def _all(self, path: str, query: Dict[str, Any]) -> List[Dict[str, Any]]:
        return self._call('GET', path, dict(query, deployment_id=self._ctx.deployment.id,
                                            _get_all_results=True))['items']

    # ---- the deployment

    def scaling_groups(self) -> Dict[str, Any]:
        return self._deployment().get('scaling_groups') or {}

    def start_modification(self, nodes: Dict[str, Any]) -> Dict[str, Any]:
        return self._call('POST', '/deployment-modifications', None, {
            'deployment_id': self._ctx.deployment.id, 'nodes': nodes,
            'context': {'workflow_id': self._ctx.workflow_id, 'execution_id': self._ctx.execution_id}})

    def started_modifications(self) -> List[Dict[str, Any]]:
        return self._call('GET', '/deployment-modifications', {
            'deployment_id': self._ctx.deployment.id, 'status': 'started'})['items']

    def modification(self, action: str, modification: Any) -> None:
        self._call('POST', '/deployment-modifications/{0}/{1}'.format(modification.id, action))

    def evaluate_functions(self, payload: Any) -> Any:
        return self._call('POST', '/evaluate/functions', None, {
            'deployment_id': self._ctx.deployment.id, 'context': {}, 'payload': payload})['payload']

    def bootstrap_context(self) -> Dict[str, Any]:
        context = dict((self._call('GET', '/provider/context').get('context') or {}).get('cloudify') or {})
        stored = self._call('GET', '/config', {'scope': 'workflow'}).get('items', [])
        context['workflows'] = {item['name']: item['value'] for item in stored}
        return context

    def update_execution_status(self, status: str) -> None:
        self._call('PATCH', '/executions/' + self._ctx.execution_id, None, {'status': status})

    # ---- files

    def get_resource(self, resource_path: str) -> bytes:
        return self._resources().get(resource_path)

    def download_deployment_resource(self, resource_path: str, target_path: Optional[str] = None, logger: Any = None,
                                     **_: Any) -> str:
        return self._resources().download(resource_path, target_path)

    def _resources(self) -> Any:
        from cloudify.resources import Resources
        return Resources(self._ctx._manager, self._ctx._context)

    # ---- executions, graphs and operations

    def get_execution(self, execution_id: Optional[str] = None) -> Any:
        return self.rest_client.executions.get(execution_id or self._ctx.execution_id)

    def get_operations(self, graph_id: str) -> List[Dict[str, Any]]:
        found: List[Dict[str, Any]] = []
        while True:
            page = self._call('GET', '/operations', {'graph_id': graph_id, '_offset': len(found), '_size': 1000})
            found += page['items']
            if not page['items'] or len(found) >= page['metadata']['pagination']['total']:
                return found

    def get_tasks_graph(self, name: str) -> Any:
        found = self._call('GET', '/tasks_graphs', {'execution_id': self._ctx.execution_id, 'name': name})['items']
        return found[0] if found else None

    def store_tasks_graph(self, name: str, operations: Optional[List[Dict[str, Any]]] = None) -> Any:
        if self._ctx.dry_run:
            return None
        return self._call('POST', '/tasks_graphs', None, {
            'execution_id': self._ctx.execution_id, 'name': name, 'operations': operations or []})

    def store_operation(self, task: Any, dependencies: List[str], graph_id: str) -> None:
        stored = task.dump()
        self._call('PUT', '/operations/' + task.id, None, {
            'name': stored['name'], 'graph_id': graph_id, 'dependencies': list(dependencies), 'type': stored['type'],
            'parameters': stored['parameters']})
        task.stored = True

    def update_operation(self, operation_id: str, state: str, result: Any = None, exception: Any = None) -> None:
        self._call('PATCH', '/operations/' + operation_id, None, {
            'state': state, 'result': result, 'exception': None if exception is None else str(exception)})

    def remove_operation(self, operation_id: str) -> None:
        self._call('DELETE', '/operations/' + operation_id)

    def start_execution(self, deployment_id: str, workflow_id: str, **kwargs: Any) -> Any:
        return self.rest_client.executions.start(deployment_id, workflow_id, **kwargs)

    # ---- what updates of deployments need

    def get_deployment(self, deployment_id: str) -> Any:
        return self.rest_client.deployments.get(deployment_id)

    def set_deployment_attributes(self, deployment_id: str, **attributes: Any) -> Any:
        return self.rest_client.deployments.set_attributes(deployment_id, **attributes)

    def get_deployment_update(self, update_id: str) -> Any:
        return self.rest_client.deployment_updates.get(update_id)

    def set_deployment_update_attributes(self, update_id: str, **attributes: Any) -> Any:
        return self.rest_client.deployment_updates.set_attributes(update_id, **attributes)

    def get_blueprint(self, blueprint_id: str) -> Any:
        return self.rest_client.blueprints.get(blueprint_id)

    def list_nodes(self, deployment_id: str, **kwargs: Any) -> Any:
        return self.rest_client.nodes.list(deployment_id=deployment_id, **kwargs)

    def list_node_instances(self, deployment_id: str, **kwargs: Any) -> Any:
        return self.rest_client.node_instances.list(deployment_id=deployment_id, **kwargs)

    def update_node(self, deployment_id: str, node_id: str, **kwargs: Any) -> Any:
        return self.rest_client.nodes.update(deployment_id, node_id, **kwargs)

    def delete_node(self, deployment_id: str, node_id: str) -> Any:
        return self.rest_client.nodes.delete(deployment_id, node_id)

    def delete_node_instance(self, instance_id: str) -> Any:
        return self.rest_client.node_instances.delete(instance_id)

    def create_nodes(self, deployment_id: str, nodes: List[Dict[str, Any]]) -> Any:
        return self.rest_client.nodes.create_many(deployment_id, nodes)

    def create_node_instances(self, deployment_id: str, node_instances: List[Dict[str, Any]]) -> Any:
        return self.rest_client.node_instances.create_many(deployment_id, node_instances)

    def list_execution_schedules(self, deployment_id: str, **kwargs: Any) -> Any:
        return self.rest_client.execution_schedules.list(deployment_id=deployment_id, **kwargs)

    def update_execution_schedule(self, schedule_id: str, deployment_id: str, **kwargs: Any) -> Any:
        return self.rest_client.execution_schedules.update(schedule_id, deployment_id, **kwargs)

    def create_execution_schedule(self, schedule_id: str, deployment_id: str, workflow_id: str, **kwargs: Any) -> Any:
        return self.rest_client.execution_schedules.create(schedule_id, deployment_id, workflow_id, **kwargs)

    def get_managers(self) -> Any:
        return self.rest_client.manager.get_managers()

    def list_idds(self, **kwargs: Any) -> Any:
        return self.rest_client.inter_deployment_dependencies.list(**kwargs)

    def update_idds(self, deployment_id: str, idds: List[Dict[str, Any]]) -> Any:
        return self.rest_client.inter_deployment_dependencies.update_all(deployment_id, idds)

    def get_secret(self, secret_name: str) -> Any:
        return self.rest_client.secrets.get(secret_name)

    def _deployment(self) -> Dict[str, Any]:
        return self._call('GET', '/deployments/' + self._ctx.deployment.id)

    def _call(self, method: str, path: str, query: Any = None, body: Any = None) -> Any:
        return self._ctx._manager.call(method, path, query, body)


class LocalHandler:
    """A storage of cloudify.workflows.local, in the context's dictionary as `storage`."""

    def __init__(self, ctx: Any) -> None:
        from cloudify.logs import stdout_event_out, stdout_log_out
        self._ctx = ctx
        self.storage = ctx._context['storage']
        self.log_out, self.event_out = stdout_log_out, stdout_event_out

    def get_nodes(self) -> List[Dict[str, Any]]:
        return list(self.storage.get_nodes())

    def get_node_instances(self) -> List[Dict[str, Any]]:
        return list(self.storage.get_node_instances())

    def get_node_instance(self, node_instance_id: str) -> Dict[str, Any]:
        return self.storage.get_node_instance(node_instance_id)

    def update_node_instance(self, node_instance_id: str, version: int, force: bool, changes: Dict[str, Any]) -> Any:
        return self.storage.update_node_instance(node_instance_id, version, force=force, **changes)

    def scaling_groups(self) -> Dict[str, Any]:
        return (getattr(self.storage, 'plan', None) or {}).get('scaling_groups') or {}

    def bootstrap_context(self) -> Dict[str, Any]:
        return (getattr(self.storage, 'provider_context', None) or {}).get('cloudify') or {}

    def update_execution_status(self, status: str) -> None:
        raise NonRecoverableError('A local run has no status that a workflow could change')

    def get_resource(self, resource_path: str) -> bytes:
        return self._endpoint().get_resource(resource_path)

    def download_deployment_resource(self, resource_path: str, target_path: Optional[str] = None, logger: Any = None,
                                     **_: Any) -> str:
        return self._endpoint().download_resource(resource_path, logger, target_path)

    def get_tasks_graph(self, name: str) -> Any:
        """None: a local run is not resumed, so its graphs are not stored."""

    def store_tasks_graph(self, name: str, operations: Any = None) -> Any:
        """Nothing: see get_tasks_graph."""

    def get_execution(self, execution_id: Optional[str] = None) -> Any:
        return self.storage.get_execution(execution_id or self._ctx.execution_id)

    def __getattr__(self, name: str) -> Any:
        if name.startswith('_'):
            raise AttributeError(name)
        raise NonRecoverableError('A local run has no {0}: it has no manager. Run it on one (`tutti serve`)'.format(
            name))

    def _endpoint(self) -> Any:
        from cloudify.endpoint import LocalEndpoint
        return LocalEndpoint(self._ctx, self.storage)
