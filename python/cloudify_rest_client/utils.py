from __future__ import annotations

from typing import Any, Callable, Iterator


def get_all(method: Callable[..., Any], *args: Any, **kwargs: Any) -> Iterator[Any]:
    """All items of all pages of a list: `get_all(client._client.get, '/deployments', params={…})`."""
    params = dict(kwargs.pop('params', None) or {})
    params.setdefault('_offset', 0)
    while True:
        page = method(*args, params=params, **kwargs)
        yield from page['items']
        params['_offset'] += len(page['items'])
        if not page['items'] or params['_offset'] >= page['metadata']['pagination']['total']:
            return
