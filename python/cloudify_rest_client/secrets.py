from __future__ import annotations

from typing import Any, Dict, Sequence

from cloudify_rest_client.constants import VisibilityState
from cloudify_rest_client.responses import Item, ListResponse, optional
from cloudify_rest_client.sends import ResourceClient, sends


class Secret(Item):
    key = value = created_at = updated_at = visibility = is_hidden_value = tenant_name = schema = optional()
    provider_name = provider_options = optional()


class SecretsClient(ResourceClient):
    @sends('PUT /secrets/{key}')
    def create(self, key: str, value: Any, update_if_exists: bool = False, is_hidden_value: bool = False,
               visibility: str = VisibilityState.TENANT, schema: Dict[str, Any] | None = None,
               provider_name: str | None = None, provider_options: Dict[str, Any] | None = None) -> Secret: ...

    @sends('PATCH /secrets/{key}')
    def update(self, key: str, value: Any = None, visibility: str | None = None, is_hidden_value: bool | None = None,
               provider_name: str | None = None, provider_options: Dict[str, Any] | None = None,
               **kwargs: Any) -> Secret: ...

    @sends('GET /secrets/{key}')
    def get(self, key: str) -> Secret: ...

    @sends('GET /secrets/share/export')
    def export(self, _include: Sequence[str] | None = None, **kwargs: Any) -> Any: ...

    @sends('POST /secrets/share/import')
    def import_secrets(self, secrets_list: Sequence[Dict[str, Any]], tenant_map: Dict[str, str] | None = None,
                       passphrase: str | None = None, override_collisions: bool = False) -> Dict[str, Any]: ...

    @sends('GET /secrets', search='/searches/secrets')
    def list(self, sort: str | None = None, is_descending: bool = False, filter_rules: Sequence[Any] | None = None,
             constraints: Dict[str, Any] | None = None, **kwargs: Any) -> ListResponse[Secret]: ...

    @sends('DELETE /secrets/{key}')
    def delete(self, key: str) -> None: ...

    def set_global(self, key: str) -> Dict[str, Any]:
        return self.set_visibility(key, VisibilityState.GLOBAL)

    @sends('PATCH /secrets/{key}/set-visibility')
    def set_visibility(self, key: str, visibility: str) -> Dict[str, Any]: ...
