"""The manager as operations ask it: one of several addresses, with patience, and nothing but bytes."""
from __future__ import annotations

import json
from urllib.parse import quote, urlsplit

from cloudify_rest_client.failures import ConnectionFailed, ReadTimedOut, failure, kinds_of
from cloudify_rest_client.own_lock import OwnLock
from cloudify_rest_client.patience import Patience
from cloudify_rest_client.session import Session

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Mapping, Optional, Sequence, Tuple


class Connection:
    """Threads may share it. `addresses` are base URLs, tried in turn when one does not answer."""

    def __init__(self, addresses: Sequence[str], headers: Mapping[str, str], certificate: Optional[str] = None,
                 session: Optional[Session] = None) -> None:
        self._addresses = [address.rstrip('/') for address in addresses]
        self._headers = headers
        self._certificate = certificate
        self._verify: Any = certificate or True
        self._lock = OwnLock()
        self.session = session or Session()

    def open_now(self) -> None:
        """Connects ahead of the first request, so that it does not wait. A failure shows at that request."""
        try:
            self.session.open(self._addresses[0], self._verify)
        except kinds_of(ConnectionFailed):
            pass

    def request(self, method: str, path: str, query: Optional[Mapping[str, Any]] = None, body: Any = None,
                headers: Optional[Mapping[str, str]] = None) -> Tuple[int, bytes]:
        """(status, body) of the final answer. Raises ConnectionFailed after an hour without any."""
        target = quote(path, safe="/:@!$&'()*+,;=~-._")
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        sent = dict(self._headers, **{'Content-Type': 'application/json'})
        sent.update(headers or {})
        patience = Patience()
        while True:
            address = self._addresses[0]
            try:
                response = self.session.request(
                    method, address + target, params=query, data=body, headers=sent, verify=self._verify)
            except kinds_of(ConnectionFailed) + kinds_of(ReadTimedOut) as error:
                self._try_next(address)
                if not patience.wait(None):
                    raise failure(ConnectionFailed, 'The manager at {0} does not answer: {1}'.format(
                        address, error)) from error
                continue
            if not patience.wait(response.status_code):
                return response.status_code, response.content

    def call(self, method: str, path: str, query: Optional[Mapping[str, Any]] = None, body: Any = None) -> Any:
        """The JSON of the answer. Raises CloudifyClientError."""
        from cloudify_rest_client.exceptions import from_answer
        status, answer = self.request(method, path, query, body)
        if status >= 300:
            raise from_answer(status, answer, path)
        return json.loads(answer) if answer else None

    def arguments(self) -> Dict[str, Any]:
        """Of a ClusterHTTPClient that asks the same managers with the same rights."""
        parts = [urlsplit(address) for address in self._addresses]
        return {'host': [one.hostname for one in parts], 'port': parts[0].port, 'protocol': parts[0].scheme,
                'api_version': parts[0].path.rpartition('/')[2], 'headers': dict(self._headers),
                'cert': self._certificate, 'session': self.session}

    def close(self) -> None:
        self.session.close()

    def _try_next(self, failed: str) -> None:
        with self._lock:
            if self._addresses[0] == failed:
                self._addresses.append(self._addresses.pop(0))
