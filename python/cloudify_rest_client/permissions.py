from __future__ import annotations

from cloudify_rest_client.responses import Item, ListResponse
from cloudify_rest_client.sends import ResourceClient, sends


class Permission(Item):
    """What a role may do: `permission`, `role`."""


class PermissionsClient(ResourceClient):
    def list(self, role: str | None = None) -> ListResponse[Permission]:
        return self._list() if role is None else self._list_of(role)

    @sends('PUT /permissions/{role}/{permission}')
    def add(self, permission: str, role: str) -> None: ...

    @sends('DELETE /permissions/{role}/{permission}')
    def delete(self, permission: str, role: str) -> None: ...

    @sends('GET /permissions')
    def _list(self) -> ListResponse[Permission]: ...

    @sends('GET /permissions/{role}')
    def _list_of(self, role: str) -> ListResponse[Permission]: ...
