from __future__ import annotations

from typing import Any, Dict, Iterable, Sequence, Tuple

from cloudify_rest_client.responses import ListResponse
from cloudify_rest_client.sends import ResourceClient, sends, wire_value

EVENT = 'cloudify_event'
LOG = 'cloudify_log'


class EventsClient(ResourceClient):
    def get(self, execution_id: str, from_event: int = 0, batch_size: int = 100,
            include_logs: bool = False) -> Tuple[Sequence[Dict[str, Any]], int]:
        """(events, how many there are): those of the execution from a position on, in the order in which they came."""
        page = self._list(None, None, None, 'reported_timestamp', type=_types(include_logs),
                          execution_id=execution_id, _offset=from_event, _size=batch_size)
        return page.items, int(page.metadata.pagination.total)

    def list(self, include_logs: bool = False, message: Any = None, from_datetime: Any = None, to_datetime: Any = None,
             _include: Sequence[str] | None = None, sort: str | None = None,
             **kwargs: Any) -> ListResponse[Dict[str, Any]]:
        """`message`: a pattern, with `%` for any text."""
        return self._list(_include, message, _range(from_datetime, to_datetime), sort, type=_types(include_logs),
                          **kwargs)

    def delete(self, deployment_id: str, include_logs: bool = False, message: Any = None, from_datetime: Any = None,
               to_datetime: Any = None, sort: str | None = None, **kwargs: Any) -> ListResponse[int]:
        return self._delete(deployment_id, message, _range(from_datetime, to_datetime), sort,
                            type=_types(include_logs), **kwargs)

    @sends('POST /events', status=(201, 204), null='events logs agent_name manager_name')
    def create(self, events: Iterable[Dict[str, Any]] | None = None, logs: Iterable[Dict[str, Any]] | None = None,
               execution_id: str | None = None, agent_name: str | None = None, manager_name: str | None = None,
               execution_group_id: str | None = None) -> None: ...

    @sends('GET /events', wire={'message': 'message.text'})
    def _list(self, _include: Sequence[str] | None, message: Any, _range: str | None, sort: str | None,
              **kwargs: Any) -> ListResponse[Dict[str, Any]]: ...

    @sends('DELETE /events', status=200, wire={'message': 'message.text'})
    def _delete(self, deployment_id: str, message: Any, _range: str | None, sort: str | None,
                **kwargs: Any) -> ListResponse[int]: ...


def _types(include_logs: bool) -> Sequence[str]:
    return [EVENT, LOG] if include_logs else [EVENT]


def _range(since: Any, until: Any) -> str | None:
    """From a time on, and until before another."""
    if since is None and until is None:
        return None
    return '@timestamp,{0},{1}'.format(*('' if at is None else wire_value(at) for at in (since, until)))
