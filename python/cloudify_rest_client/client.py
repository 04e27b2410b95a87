"""The client: `client.deployments.get('d')`, `client.secrets.create('key', 'value')`, `client.api.get('/version')`.

Generic: an attribute is a collection of the API, spelled with underscores for hyphens.
"""
import base64
import json

from cloudify_rest_client import exceptions
from cloudify_rest_client.connection import Connection
from cloudify_rest_client.responses import read

DEFAULT_PORT = 80
DEFAULT_API_VERSION = 'v3.1'

# Read at `/deployments/{id}/outputs`, not `/deployments/outputs/{id}`.
PARTS = ('/deployments/outputs', '/deployments/capabilities')
ID_KEYWORDS = ('blueprint_id', 'deployment_id', 'execution_id', 'node_instance_id', 'key', 'tenant_name')


class CloudifyClient:
    def __init__(self, host='localhost', port=None, protocol='http', api_version=DEFAULT_API_VERSION, headers=None,
                 query_params=None, cert=None, trust_all=False, username=None, password=None, token=None,
                 tenant=None, session=None, connection=None):
        port = port or (443 if protocol == 'https' else DEFAULT_PORT)
        hosts = host if isinstance(host, (list, tuple)) else str(host).split(',')
        sent = dict(headers or {})
        if tenant:
            sent.setdefault('Tenant', tenant)
        if token:
            sent.setdefault('Authentication-Token', token)
        if username:
            pair = '{0}:{1}'.format(username, password).encode()
            sent.setdefault('Authorization', 'Basic ' + base64.b64encode(pair).decode())
        addresses = ['{0}://{1}:{2}/api/{3}'.format(protocol, one.strip(), port, api_version) for one in hosts]
        self.api = Api(connection or Connection(addresses, sent, cert), query_params)

    def __getattr__(self, name):
        if name.startswith('_'):
            raise AttributeError(name)
        return Collection(self.api, '/' + name.replace('_', '-'))


class Api:
    """Requests by method and path, below the version's base path."""

    def __init__(self, connection, query_params=None):
        self.connection = connection
        self._query_params = query_params or {}

    def call(self, method, path, params=None, data=None, headers=None):
        query = {key: _query_value(value) for key, value in dict(self._query_params, **(params or {})).items()
                 if value is not None}
        status, answer = self.connection.request(method, path, query, data, headers)
        try:
            body = json.loads(answer) if answer else None
        except ValueError:
            body = answer.decode('utf-8', 'replace')
        if status >= 300:
            raise exceptions.from_answer(status, body)
        return body

    def get(self, path, params=None, _include=None, **_):
        return self.call('GET', path, dict(params or {}, _include=','.join(_include) if _include else None))

    def post(self, path, data=None, params=None, **_):
        return self.call('POST', path, params, data)

    def put(self, path, data=None, params=None, **_):
        return self.call('PUT', path, params, data)

    def patch(self, path, data=None, params=None, **_):
        return self.call('PATCH', path, params, data)

    def delete(self, path, data=None, params=None, **_):
        return self.call('DELETE', path, params, data)


class Collection:
    """One collection of the API. Keyword arguments are query parameters in reads and body fields in writes."""

    def __init__(self, api, path, parent=None):
        self._api = api
        self._path = path
        self._parent = parent

    def __getattr__(self, name):
        if name.startswith('_'):
            raise AttributeError(name)
        return Collection(self._api, '{0}/{1}'.format(self._path, name.replace('_', '-')), self._path)

    def list(self, _include=None, **query):
        return read(self._api.get(self._path, query, _include))

    def get(self, *ids, _include=None, evaluate_functions=None, **query):
        if evaluate_functions:
            query['_evaluate_functions'] = True
        if not ids:
            ids = [query.pop(name) for name in ID_KEYWORDS if name in query]
        if self._path == '/nodes' and len(ids) == 2:  # the API has no path for one node
            return read(self._api.get('/nodes', dict(query, deployment_id=ids[0], id=ids[1]), _include)).one()
        return read(self._api.get(self._member(ids), query, _include))

    def create(self, *ids, **fields):
        if self._path == '/secrets':
            return self._create_secret(*ids, **fields)
        return read(self._api.put(self._member(ids), fields))

    def update(self, *ids, **fields):
        if self._path == '/secrets' and len(ids) == 2:
            ids, fields['value'] = ids[:1], ids[1]
        force = fields.pop('force', None)
        return read(self._api.patch(self._member(ids), fields, {'force': force}))

    def delete(self, *ids, **query):
        return read(self._api.delete(self._member(ids), params=query))

    def start(self, deployment_id=None, workflow_id=None, parameters=None, **fields):
        """Executions: starts a workflow."""
        return read(self._api.post(self._path, dict(
            fields, deployment_id=deployment_id, workflow_id=workflow_id, parameters=parameters or {})))

    def cancel(self, member, force=False, kill=False):
        """Executions: asks one to stop."""
        action = 'kill' if kill else 'force-cancel' if force else 'cancel'
        return read(self._api.post(self._member((member,)), {'action': action}))

    def _create_secret(self, key, value=None, update_if_exists=False, **fields):
        return read(self._api.put(self._member((key,)), dict(
            fields, value=value, update_if_exists=update_if_exists)))

    def _member(self, ids):
        if self._path in PARTS:
            return '/'.join([self._parent, str(ids[0]), self._path.rsplit('/', 1)[1]])
        return '/'.join([self._path] + [str(one) for one in ids])


def _query_value(value):
    return value if isinstance(value, (list, tuple)) else str(value)
