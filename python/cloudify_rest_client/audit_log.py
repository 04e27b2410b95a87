from __future__ import annotations

import asyncio
import itertools
import json
from typing import Any, Dict, Sequence

from cloudify_rest_client.http_client import StreamedResponse
from cloudify_rest_client.responses import Item, ListResponse, required
from cloudify_rest_client.sends import ResourceClient, sends

PAGE = 1000


class AuditLog(Item):
    ref_table = ref_id = ref_identifier = operation = creator_name = execution_id = created_at = required()


class AuditStream:
    """Records, one after the other: `for record in stream` and `async for record in stream`."""

    def __init__(self, answer: StreamedResponse) -> None:
        self._answer = answer
        self._lines = answer.lines_stream()

    def __iter__(self) -> AuditStream:
        return self

    def __next__(self) -> AuditLog:
        for line in self._lines:
            if line.strip():
                return AuditLog(json.loads(line))
        raise StopIteration

    def __aiter__(self) -> AuditStream:
        return self

    async def __anext__(self) -> AuditLog:
        for record in await asyncio.get_running_loop().run_in_executor(None, self._one):
            return record
        raise StopAsyncIteration

    def _one(self) -> Sequence[AuditLog]:
        """StopIteration cannot leave an executor."""
        return list(itertools.islice(self, 1))

    def close(self) -> None:
        self._answer.close()


class AuditLogClient(ResourceClient):
    def list(self, get_all: bool = False, **kwargs: Any) -> ListResponse[AuditLog]:
        """A page of the audit log (`offset`, `size`), or all of it."""
        if not get_all:
            return self._list(**kwargs)
        kwargs.setdefault('offset', 0)
        size = kwargs.setdefault('size', PAGE)
        whole = page = self._list(**kwargs)
        while len(page) == size > 0:
            kwargs['offset'] += size
            page = self._list(**kwargs)
            whole.items.extend(page.items)
        return whole

    def delete(self, **kwargs: Any) -> int:
        """Deletes what is older than `before`. How many records."""
        return int(self._delete(**kwargs)['deleted'])

    @sends('POST /audit', data='logs', status=(200, 204))
    def inject(self, logs: Sequence[Dict[str, Any]]) -> None: ...

    def stream(self, timeout: Any = None, **kwargs: Any) -> AuditStream:
        """Records as they are written, without an end; with `timeout`, until none came for as many seconds."""
        return AuditStream(self._stream(timeout, **kwargs))

    async def async_client(self) -> AuditLogClient:
        """Itself: its streams can be read with `async for` as well."""
        return self

    @sends('GET /audit')
    def _list(self, **kwargs: Any) -> ListResponse[AuditLog]: ...

    @sends('DELETE /audit')
    def _delete(self, **kwargs: Any) -> Dict[str, Any]: ...

    @sends('GET /audit/stream', stream=True)
    def _stream(self, timeout: Any, **kwargs: Any) -> StreamedResponse: ...
