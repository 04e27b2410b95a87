from __future__ import annotations

from typing import Any, Sequence

from cloudify_rest_client.constants import VisibilityState
from cloudify_rest_client.responses import Item, ListResponse, optional
from cloudify_rest_client.sends import ResourceClient, sends


class Site(Item):
    name = location = created_at = visibility = optional()


class SitesClient(ResourceClient):
    @sends('PUT /sites/{name}')
    def create(self, name: str, location: str | None = None, visibility: str = VisibilityState.TENANT,
               created_by: str | None = None, created_at: Any = None) -> Site: ...

    @sends('DELETE /sites/{name}')
    def delete(self, name: str) -> None: ...

    @sends('GET /sites/{name}')
    def get(self, name: str) -> Site: ...

    @sends('GET /sites')
    def list(self, _include: Sequence[str] | None = None, sort: str | None = None, is_descending: bool = False,
             **kwargs: Any) -> ListResponse[Site]: ...

    @sends('POST /sites/{name}')
    def update(self, name: str, location: str | None = None, visibility: str = VisibilityState.TENANT,
               new_name: str | None = None) -> Site: ...
