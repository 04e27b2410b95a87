"""The manager's address, and the REST calls of one operation (docs/reference/operations.md, "Patience")."""
import os
from typing import Any, Dict, List, Optional

API_PATH = '/api/v3.1'
DEFAULT_PORT = 53333
DEFAULT_PROTOCOL = 'https'


class Manager:
    """The REST calls of one operation, over one connection that opens at the first of them."""

    def __init__(self, context: Dict[str, Any]) -> None:
        self._context = context
        self._connection: Any = None
        self._files: Dict[str, Any] = {}

    def connection(self) -> Any:
        if self._connection is None:
            self._connection = self.connect(self.headers())
        return self._connection

    def connect(self, headers: Dict[str, str]) -> Any:
        """A connection of its own, for other headers than the operation's."""
        return connect([root + API_PATH for root in self.roots()], headers)

    def headers(self) -> Dict[str, str]:
        headers = {}
        tenant = (self._context.get('tenant') or {}).get('name')
        if tenant:
            headers['Tenant'] = tenant
        if self._context.get('execution_token'):
            headers['Execution-Token'] = self._context['execution_token']
        elif self._context.get('rest_token'):
            headers['Authentication-Token'] = self._context['rest_token']
        if self._context.get('bypass_maintenance') or os.environ.get('BYPASS_MAINTENANCE') == 'True':
            headers['X-BYPASS-MAINTENANCE'] = 'True'
        return headers

    def call(self, method: str, path: str, query: Optional[Dict[str, Any]] = None, body: Any = None) -> Any:
        """The answer's JSON. Raises cloudify_rest_client.exceptions.CloudifyClientError."""
        return self.connection().call(method, path, query, body)

    def file(self, path: str, base_url: Optional[str] = None) -> Any:
        """(status, bytes) of a path below the file server's root, or below another URL with the same rights."""
        addresses = [base_url] if base_url else self.file_server_urls()
        key = ','.join(addresses)
        if key not in self._files:
            self._files[key] = connect(addresses, self.headers())
        return self._files[key].request('GET', '/' + path.lstrip('/'))

    def roots(self) -> List[str]:
        return ['{0}://{1}:{2}'.format(protocol(), in_url(host), port(self._context)) for host in hosts(self._context)]

    def file_server_urls(self) -> List[str]:
        given = os.environ.get('MANAGER_FILE_SERVER_URL')
        return given.split(',') if given else [root + '/resources' for root in self.roots()]


def connect(addresses: List[str], headers: Dict[str, str]) -> Any:
    from cloudify_rest_client.connection import Connection
    return Connection(addresses, headers, os.environ.get('LOCAL_REST_CERT_FILE') or None)


def hosts(context: Dict[str, Any]) -> List[str]:
    """The environment's manager is nearer than the context's: an agent may reach it by another address."""
    found = os.environ.get('REST_HOST') or context.get('rest_host') or 'localhost'
    return [host.strip() for host in (found if isinstance(found, (list, tuple)) else found.split(','))]


def port(context: Dict[str, Any]) -> int:
    return int(os.environ.get('REST_PORT') or context.get('rest_port') or DEFAULT_PORT)


def protocol() -> str:
    return os.environ.get('REST_PROTOCOL') or DEFAULT_PROTOCOL


def in_url(host: str) -> str:
    """An IPv6 address stands in brackets there."""
    return '[{0}]'.format(host) if ':' in host and not host.startswith('[') else host
