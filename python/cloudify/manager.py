"""The manager's records, for plugins (docs/reference/python.md, "Manager")."""
import os
from typing import Any, Dict, List, Optional

from cloudify.exceptions import NonRecoverableError
from cloudify.node_instance import NodeInstance, patch, write
from cloudify.rest import Manager
from cloudify.runtime_properties import DirtyTrackingDict

__all__ = [
    'DirtyTrackingDict', 'NodeInstance', 'download_resource', 'download_resource_from_manager',
    'get_bootstrap_context', 'get_node_instance', 'get_node_instance_ip', 'get_provider_context', 'get_resource',
    'get_resource_directory_index', 'get_resource_from_manager', 'get_rest_client', 'update_execution_status',
    'update_node_instance',
]


def get_rest_client(tenant: Optional[str] = None, api_token: Optional[str] = None) -> Any:
    """A client with the rights of the running execution, in its tenant or in another.

    `api_token` counts only where the execution has no token of its own.
    """
    from cloudify_rest_client.client import CloudifyClient
    manager = _manager()
    own = manager.headers()
    headers = dict(own)
    if tenant:
        headers['Tenant'] = tenant
    if api_token and 'Execution-Token' not in headers:
        headers['Authentication-Token'] = api_token
    connection = manager.connection() if headers == own else manager.connect(headers)
    return CloudifyClient(connection=connection)


def get_node_instance(node_instance_id: str, evaluate_functions: bool = False, client: Any = None) -> NodeInstance:
    """A node instance of any deployment that the execution may read."""
    if client is not None:
        return NodeInstance.of(client.node_instances.get(node_instance_id, evaluate_functions=evaluate_functions))
    return NodeInstance.of(_manager().call('GET', '/node-instances/' + node_instance_id,
                                           {'_evaluate_functions': True} if evaluate_functions else None))


def update_node_instance(node_instance: NodeInstance, client: Any = None) -> None:
    """Stores its runtime properties and state. CloudifyClientError with status 409 when somebody else wrote since."""
    def send(body):
        if client is not None:
            return client.node_instances.update(node_instance.id, **body)
        return _manager().call('PATCH', '/node-instances/' + node_instance.id, body=body)
    write(node_instance, lambda instance: patch(instance, send))


def get_node_instance_ip(node_instance_id: str, client: Any = None) -> str:
    """The address of the host that the instance is on."""
    client = client or get_rest_client()
    instance = client.node_instances.get(node_instance_id)
    host = instance
    if instance['host_id'] != instance['id']:
        if not instance['host_id']:
            raise NonRecoverableError('{0} is not contained in a host'.format(node_instance_id))
        host = client.node_instances.get(instance['host_id'])
    address = (host.get('runtime_properties') or {}).get('ip')
    if not address:
        node = client.nodes.get(host['deployment_id'], host['node_id'], evaluate_functions=True)
        address = (node['properties'] if node else {}).get('ip')
    if not address:
        raise NonRecoverableError('Host {0} has neither a runtime property nor a property "ip"'.format(host['id']))
    return address


def update_execution_status(execution_id: str, status: str, error: Optional[str] = None, client: Any = None) -> Any:
    if client is not None:
        return client.executions.update(execution_id, status, error)
    body = {'status': status}
    if error is not None:
        body['error'] = error
    return _manager().call('PATCH', '/executions/' + execution_id, body=body)


def get_provider_context(client: Any = None) -> Dict[str, Any]:
    if client is not None:
        return client.manager.get_context()['context']
    return _manager().call('GET', '/provider/context').get('context') or {}


def get_bootstrap_context(client: Any = None) -> Dict[str, Any]:
    """The provider context's `cloudify`, with the stored settings of workflows as its `workflows`."""
    context = dict(get_provider_context(client).get('cloudify') or {})
    if client is not None:
        stored = client.manager.get_config(scope='workflow')
    else:
        stored = _manager().call('GET', '/config', {'scope': 'workflow'}).get('items', [])
    context['workflows'] = {item['name']: item['value'] for item in stored}
    return context


# ---- files


def get_resource_from_manager(resource_path: str, base_url: Optional[str] = None,
                              base_urls: Optional[List[str]] = None) -> bytes:
    """A file below the file server's root, or below other URLs that are tried in turn."""
    from cloudify.exceptions import HttpException
    tried = []
    status = 404
    urls: List[Optional[str]] = [*base_urls] if base_urls else [base_url]
    for url in urls:
        status, answer = _manager().file(resource_path, url)
        if status == 200:
            return answer
        tried.append('{0}/{1}'.format((url or '').rstrip('/'), resource_path.lstrip('/')))
    raise HttpException(', '.join(tried), status, 'no such file on the manager')


def get_resource(blueprint_id: Optional[str], deployment_id: Optional[str], tenant_name: str,
                 resource_path: str) -> bytes:
    return _resources(blueprint_id, deployment_id, tenant_name).get(resource_path)


def get_resource_directory_index(blueprint_id: Optional[str], deployment_id: Optional[str], tenant_name: str,
                                 resource_path: str) -> List[str]:
    """The files in a folder and below it, as paths from there."""
    return _resources(blueprint_id, deployment_id, tenant_name).index(resource_path)


def download_resource(blueprint_id: Optional[str], deployment_id: Optional[str], tenant_name: str, resource_path: str,
                      logger: Any, target_path: Optional[str] = None) -> str:
    path = _resources(blueprint_id, deployment_id, tenant_name).download(resource_path, target_path)
    logger.info("Downloaded %s to %s", resource_path, path)
    return path


def download_resource_from_manager(resource_path: str, logger: Any, target_path: Optional[str] = None) -> str:
    import tempfile
    from cloudify.resources import exec_folder
    content = get_resource_from_manager(resource_path)
    target = target_path or os.path.join(tempfile.mkdtemp(dir=exec_folder()), os.path.basename(resource_path))
    with open(target, 'wb') as file:
        file.write(content)
    logger.info("Downloaded %s to %s", resource_path, target)
    return target


def _resources(blueprint_id, deployment_id, tenant_name):
    from cloudify.resources import Resources
    return Resources(_manager(), {'blueprint_id': blueprint_id, 'deployment_id': deployment_id,
                                  'tenant': {'name': tenant_name}})


def _manager() -> Manager:
    """That of the operation or workflow which runs in this thread, by its context."""
    from cloudify.utils import _get_current_context
    ctx = _get_current_context()
    if isinstance(getattr(ctx, '_manager', None), Manager):
        return ctx._manager
    return Manager({name: getattr(ctx, name, None) for name in (
        'rest_host', 'rest_port', 'rest_token', 'execution_token', 'bypass_maintenance', 'tenant')})
