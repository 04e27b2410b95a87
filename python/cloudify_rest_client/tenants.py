from __future__ import annotations

from typing import Any, Sequence

from cloudify_rest_client.responses import Item, ListResponse, optional
from cloudify_rest_client.sends import ResourceClient, sends


class Tenant(Item):
    name = users = groups = rabbitmq_username = rabbitmq_password = rabbitmq_vhost = optional()

    @property
    def direct_users(self) -> Any:
        return (self.get('user_roles') or {}).get('direct')

    @property
    def group_users(self) -> Any:
        return (self.get('user_roles') or {}).get('groups')


class TenantsClient(ResourceClient):
    @sends('GET /tenants')
    def list(self, _include: Sequence[str] | None = None, sort: str | None = None, is_descending: bool = False,
             **kwargs: Any) -> ListResponse[Tenant]: ...

    @sends('GET /tenants/{tenant_name}')
    def get(self, tenant_name: str, **kwargs: Any) -> Tenant: ...

    @sends('POST /tenants/{tenant_name}', status=201)
    def create(self, tenant_name: str, rabbitmq_password: str = '') -> Tenant: ...

    @sends('DELETE /tenants/{tenant_name}')
    def delete(self, tenant_name: str) -> None: ...

    @sends('PUT /tenants/users')
    def add_user(self, username: str, tenant_name: str, role: str) -> Tenant: ...

    @sends('PATCH /tenants/users')
    def update_user(self, username: str, tenant_name: str, role: str) -> Tenant: ...

    @sends('DELETE /tenants/users', body='username tenant_name')
    def remove_user(self, username: str, tenant_name: str) -> None: ...

    @sends('PUT /tenants/user-groups')
    def add_user_group(self, group_name: str, tenant_name: str, role: str) -> Tenant: ...

    @sends('PATCH /tenants/user-groups')
    def update_user_group(self, group_name: str, tenant_name: str, role: str) -> Tenant: ...

    @sends('DELETE /tenants/user-groups', body='group_name tenant_name')
    def remove_user_group(self, group_name: str, tenant_name: str) -> None: ...
