"""The manager over REST: connection, node instances, files (docs/reference/operations.md, "Runtime properties" and "Files" and "Patience")."""
import copy
import json
import os

from cloudify.exceptions import NonRecoverableError, RecoverableError


class Manager:
    """The REST calls of one operation, over one connection that opens at the first of them."""

    def __init__(self, context):
        self._context = context
        self._connection = None
        self._files = None

    def connection(self):
        if self._connection is None:
            self._connection = connect(_addresses(self._context), self.headers())
        return self._connection

    def headers(self):
        headers = {}
        tenant = (self._context.get('tenant') or {}).get('name')
        if tenant:
            headers['Tenant'] = tenant
        if self._context.get('execution_token'):
            headers['Execution-Token'] = self._context['execution_token']
        elif self._context.get('rest_token'):
            headers['Authentication-Token'] = self._context['rest_token']
        if self._context.get('bypass_maintenance'):
            headers['X-BYPASS-MAINTENANCE'] = 'True'
        return headers

    def call(self, method, path, query=None, body=None):
        """The answer's JSON. Raises cloudify_rest_client.exceptions.CloudifyClientError."""
        from cloudify_rest_client.client import Api
        return Api(self.connection()).call(method, path, query, body)

    def file(self, path):
        """(status, bytes) of a path below the file server's root."""
        if self._files is None:
            url = os.environ.get('MANAGER_FILE_SERVER_URL')
            address = url.split(',') if url else [base + '/resources' for base in _roots(self._context)]
            self._files = connect(address, self.headers())
        return self._files.request('GET', '/' + path.lstrip('/'))


def connect(addresses, headers):
    from cloudify_rest_client.connection import Connection
    certificate = os.environ.get('LOCAL_REST_CERT_FILE') or None
    return Connection(addresses, headers, certificate)


def _roots(context):
    hosts = os.environ.get('REST_HOST') or context.get('rest_host') or 'localhost'
    port = os.environ.get('REST_PORT') or context.get('rest_port') or 53333
    protocol = os.environ.get('REST_PROTOCOL') or 'http'
    hosts = hosts if isinstance(hosts, list) else hosts.split(',')
    return ['{0}://{1}:{2}'.format(protocol, host.strip(), port) for host in hosts]


def _addresses(context):
    return [root + '/api/v3.1' for root in _roots(context)]


def get_rest_client(tenant=None, api_token=None):
    """A client with the rights of the running execution, in its tenant or in another."""
    from cloudify.state import current_ctx
    from cloudify_rest_client.client import CloudifyClient
    manager = current_ctx.get_ctx()._manager
    if not tenant and not api_token:
        return CloudifyClient(connection=manager.connection())
    headers = manager.headers()
    if tenant:
        headers['Tenant'] = tenant
    if api_token:
        headers.pop('Execution-Token', None)
        headers['Authentication-Token'] = api_token
    return CloudifyClient(connection=connect(_addresses(manager._context), headers))


class DirtyTrackingDict(dict):
    """Runtime properties: knows whether its top level was changed. Changes of nested values, and `setdefault`, do
    not count; so it is in the original, and scripts are written for it."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.modifiable = True
        self.dirty = False

    def check_modifiable(self):
        if not self.modifiable:
            raise NonRecoverableError('Cannot modify runtime properties of relationship node instances')

    def _change(self):
        self.check_modifiable()
        self.dirty = True

    def settle(self, stored):
        """Becomes what is stored now, as the same object: scripts keep a name for it across an update."""
        if stored != self:
            super().clear()
            super().update(stored)
        self.dirty = False

    def __setitem__(self, key, value):
        self._change()
        super().__setitem__(key, value)

    def __delitem__(self, key):
        self._change()
        super().__delitem__(key)

    def update(self, *args, **kwargs):
        self._change()
        super().update(*args, **kwargs)

    def clear(self):
        self._change()
        super().clear()

    def pop(self, *args):
        self._change()
        return super().pop(*args)

    def popitem(self):
        self._change()
        return super().popitem()


class NodeInstance:
    """A node instance as last read, with the runtime properties as the operation changes them."""

    def __init__(self, manager, row):
        self._manager = manager
        self.read(row)

    def read(self, row):
        self.row = row
        self.runtime_properties = DirtyTrackingDict(row.get('runtime_properties') or {})

    def write(self, runtime_properties, over):
        """Stores the whole mapping over a row that was read. False when somebody else wrote since."""
        from cloudify_rest_client.exceptions import CloudifyClientError
        try:
            row = self._manager.call('PATCH', '/node-instances/' + self.row['id'], body={
                'version': over['version'], 'state': over.get('state'), 'runtime_properties': runtime_properties})
        except CloudifyClientError as error:
            if error.status_code != 409:
                raise
            return False
        # The answer may hold functions unevaluated, where our copy holds their values: keep ours.
        self.row = dict(over, version=row['version'], state=row.get('state'))
        self.runtime_properties.settle(runtime_properties)
        return True


def fetch_node_instance(manager, instance_id):
    row = manager.call('GET', '/node-instances/' + instance_id, {'_evaluate_functions': True})
    return NodeInstance(manager, row)


def save(instance):
    """Writes the runtime properties. Raises RecoverableError when somebody else wrote meanwhile."""
    if not _write(instance, instance.runtime_properties, instance.row):
        raise RecoverableError('The runtime properties of {0} were changed by somebody else meanwhile'.format(
            instance.row['id']))


def save_merged(instance, merge):
    """Writes what `merge(local, latest)` gives for the properties as they are here and as they are stored; it is asked
    again whenever somebody else wrote in between. It may change what it is given."""
    local = copy.deepcopy(dict(instance.runtime_properties))
    while True:
        latest = fetch_node_instance(instance._manager, instance.row['id'])
        merged = merge(copy.deepcopy(local), latest.runtime_properties)
        if not isinstance(merged, dict):
            raise NonRecoverableError('on_conflict must return the runtime properties to store, not {0!r}'.format(
                merged))
        if _write(instance, merged, latest.row):
            return


def _write(instance, runtime_properties, over):
    """A manager that is away is waited for without end."""
    stored = json.loads(json.dumps(runtime_properties))
    while True:
        try:
            return instance.write(stored, over)
        except ConnectionError:
            continue


def get_node_instance(node_instance_id, evaluate_functions=False, client=None):
    """A node instance of any deployment that the execution may read."""
    from cloudify.state import current_ctx
    return fetch_node_instance(current_ctx.get_ctx()._manager, node_instance_id)


def update_node_instance(node_instance):
    save(node_instance)
