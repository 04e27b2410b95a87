"""A client of several managers: the next one is asked when one does not answer, and failures are waited out."""
from __future__ import annotations

from typing import Any, Callable, List, Mapping, Optional

from cloudify_rest_client.client import CloudifyClient
from cloudify_rest_client.failures import ConnectionFailed, ReadTimedOut, kinds_of
from cloudify_rest_client.http_client import HTTPClient
from cloudify_rest_client.patience import Patience


class ClusterHTTPClient(HTTPClient):
    """`host`: one, several separated by commas, or a list of them."""

    def __init__(self, host: Any, *args: Any, **kwargs: Any) -> None:
        given = host if isinstance(host, (list, tuple)) else str(host).split(',')
        self.hosts: List[str] = [str(one).strip() for one in given]
        super().__init__(self.hosts[0], *args, **kwargs)

    def respond(self, requests_method: Callable[..., Any], request_url: str, body: Any,
                params: Optional[Mapping[str, Any]], headers: Optional[Mapping[str, str]], stream: bool, verify: Any,
                timeout: Any) -> Any:
        target = request_url[len(self.base_url):]
        patience = Patience()
        start = body.tell() if hasattr(body, 'seek') else None
        while True:
            host = self.host
            try:
                response = super().respond(requests_method, self.base_url + target, body, params,
                                           headers, stream, verify, timeout)
            except kinds_of(ConnectionFailed) + kinds_of(ReadTimedOut) as error:
                self._try_next(host)
                if not patience.wait(None):
                    raise
                self.logger.debug('%s: trying %s', error, self.host)
            else:
                if not patience.wait(response.status_code):
                    return response
                response.close()
            if start is not None:
                body.seek(start)

    def _try_next(self, failed: str) -> None:
        if self.host == failed:  # and no other thread has found out already
            self.host = self.hosts[(self.hosts.index(failed) + 1) % len(self.hosts)]


class CloudifyClusterClient(CloudifyClient):
    client_class = ClusterHTTPClient
