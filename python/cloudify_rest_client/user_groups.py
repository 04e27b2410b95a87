from __future__ import annotations

from typing import Any, Sequence

from cloudify_rest_client.responses import Item, ListResponse, optional
from cloudify_rest_client.sends import ResourceClient, sends


class Group(Item):
    name = users = role = tenants = ldap_dn = optional()


class UserGroupsClient(ResourceClient):
    @sends('GET /user-groups')
    def list(self, _include: Sequence[str] | None = None, sort: str | None = None, is_descending: bool = False,
             **kwargs: Any) -> ListResponse[Group]: ...

    @sends('GET /user-groups/{group_name}')
    def get(self, group_name: str, **kwargs: Any) -> Group: ...

    @sends('POST /user-groups', status=201, null='ldap_group_dn')
    def create(self, group_name: str, role: str, ldap_group_dn: str | None = None) -> Group: ...

    @sends('DELETE /user-groups/{group_name}')
    def delete(self, group_name: str) -> None: ...

    @sends('POST /user-groups/{group_name}', wire={'new_role': 'role'})
    def set_role(self, group_name: str, new_role: str) -> Group: ...

    @sends('PUT /user-groups/users')
    def add_user(self, username: str, group_name: str) -> Group: ...

    @sends('DELETE /user-groups/users', body='username group_name')
    def remove_user(self, username: str, group_name: str) -> None: ...
