from __future__ import annotations

from typing import Any, Sequence

from cloudify_rest_client.responses import Item, ListResponse, optional
from cloudify_rest_client.sends import ResourceClient, sends


class User(Item):
    username = role = group_system_roles = groups = tenants = active = created_at = last_login_at = optional()
    first_login_at = is_locked = optional()

    @property
    def user_tenants(self) -> Any:
        return (self.get('tenant_roles') or {}).get('direct')

    @property
    def group_tenants(self) -> Any:
        return (self.get('tenant_roles') or {}).get('groups')


class UsersClient(ResourceClient):
    @sends('GET /users')
    def list(self, _include: Sequence[str] | None = None, sort: str | None = None, is_descending: bool = False,
             **kwargs: Any) -> ListResponse[User]: ...

    @sends('GET /users/{username}')
    def get(self, username: str, **kwargs: Any) -> User: ...

    @sends('GET /user')
    def get_self(self, **kwargs: Any) -> User: ...

    @sends('PUT /users', status=201)
    def create(self, username: str, password: str, role: str, is_prehashed: bool | None = None,
               created_at: Any = None, first_login_at: Any = None, last_login_at: Any = None) -> User: ...

    @sends('POST /users/{username}', wire={'new_password': 'password'})
    def set_password(self, username: str, new_password: str) -> User: ...

    @sends('POST /users/{username}', wire={'new_role': 'role'})
    def set_role(self, username: str, new_role: str) -> User: ...

    @sends('POST /users/{username}', wire={'flag_value': 'show_getting_started'})
    def set_show_getting_started(self, username: str, flag_value: bool) -> User: ...

    @sends('POST /users/active/{username}', fixed={'action': 'activate'})
    def activate(self, username: str) -> User: ...

    @sends('POST /users/active/{username}', fixed={'action': 'deactivate'})
    def deactivate(self, username: str) -> User: ...

    @sends('POST /users/unlock/{username}', rest='query')
    def unlock(self, username: str, **kwargs: Any) -> User: ...

    @sends('DELETE /users/{username}')
    def delete(self, username: str) -> None: ...
