"""One keep-alive HTTP connection to the manager, with the patience of docs/reference/operations.md, "Patience"."""
import json
import socket
import threading
import time
from http import client as http_client
from urllib.parse import quote, urlencode, urlsplit

CONNECT_TIMEOUT_S = 5
READ_TIMEOUT_S = 300
RETRY_PAUSE_S = (0.1, 0.2, 0.5, 1, 2, 5)

# For how long a failure is retried: a manager that restarts or fails over is waited for.
UNREACHABLE_PATIENCE_S = 3600  # no connection, or a status ≥ 502
FAULT_PATIENCE_S = 60  # 500, and 403 while a token spreads through a cluster

UNREACHABLE = (OSError, http_client.HTTPException)


class Connection:
    """Thread-safe: one request at a time. `addresses` are base URLs tried in turn when one does not answer."""

    def __init__(self, addresses, headers, certificate=None):
        self._addresses = [urlsplit(address) for address in addresses]
        self._headers = headers
        self._certificate = certificate
        self._lock = threading.RLock()
        self._live = None

    def open_now(self):
        """Connects ahead of the first request, so that it does not wait. A failure shows at that request."""
        with self._lock:
            try:
                self._connection()
            except UNREACHABLE:
                self.close()

    def request(self, method, path, query=None, body=None, headers=None):
        """(status, body bytes) of the final answer. Raises ConnectionError after an hour without any."""
        target = quote(path, safe="/:@!$&'()*+,;=~-._")
        if query:
            target += '?' + urlencode(query, doseq=True)
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        sent = dict(self._headers, **{'Content-Type': 'application/json'})
        sent.update(headers or {})
        started = time.monotonic()
        attempt = 0
        while True:
            failure = None
            try:
                status, answer = self._once(method, target, body, sent)
                patience = _patience(status)
            except UNREACHABLE as error:
                failure, patience = error, UNREACHABLE_PATIENCE_S
                self._use_next_address()
            if time.monotonic() - started >= patience:
                if failure is None:
                    return status, answer
                raise ConnectionError('the manager at {0} does not answer: {1}'.format(
                    self._addresses[0].geturl(), failure)) from failure
            time.sleep(RETRY_PAUSE_S[min(attempt, len(RETRY_PAUSE_S) - 1)])
            attempt += 1

    def close(self):
        with self._lock:
            if self._live is not None:
                self._live.close()
                self._live = None

    def _once(self, method, target, body, headers):
        with self._lock:
            reused = self._live is not None
            try:
                return self._exchange(method, target, body, headers)
            except UNREACHABLE as error:
                self.close()
                # The server may close a connection that was idle; that says nothing about the request.
                if not reused or isinstance(error, socket.timeout):
                    raise
                return self._exchange(method, target, body, headers)

    def _exchange(self, method, target, body, headers):
        try:
            live = self._connection()
            live.request(method, self._addresses[0].path.rstrip('/') + target, body=body, headers=headers)
            response = live.getresponse()
            answer = response.read()
        except BaseException:
            self.close()
            raise
        if response.will_close:
            self.close()
        return response.status, answer

    def _connection(self):
        if self._live is None:
            address = self._addresses[0]
            if address.scheme == 'https':
                import ssl
                live = http_client.HTTPSConnection(
                    address.hostname, address.port, timeout=CONNECT_TIMEOUT_S,
                    context=ssl.create_default_context(cafile=self._certificate))
            else:
                live = http_client.HTTPConnection(address.hostname, address.port, timeout=CONNECT_TIMEOUT_S)
            live.connect()
            live.sock.settimeout(READ_TIMEOUT_S)
            self._live = live
        return self._live

    def _use_next_address(self):
        with self._lock:
            self.close()
            self._addresses.append(self._addresses.pop(0))


def _patience(status):
    if status >= 502:
        return UNREACHABLE_PATIENCE_S
    if status in (500, 403):
        return FAULT_PATIENCE_S
    return 0
