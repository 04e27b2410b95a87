from __future__ import annotations

from typing import Any, Dict, Sequence

from cloudify_rest_client.constants import VisibilityState
from cloudify_rest_client.responses import Item, ListResponse, optional
from cloudify_rest_client.sends import ResourceClient, sends


class SecretsProvider(Item):
    id = name = type = connection_parameters = created_at = updated_at = visibility = tenant_name = optional()


class SecretsProvidersClient(ResourceClient):
    @sends('GET /secrets-providers/{name}')
    def get(self, name: str) -> SecretsProvider: ...

    @sends('PUT /secrets-providers')
    def create(self, name: str, _type: str, connection_parameters: Dict[str, Any] | None = None,
               visibility: str = VisibilityState.TENANT, created_at: Any = None,
               created_by: str | None = None) -> SecretsProvider: ...

    def update(self, name: str, _type: str, connection_parameters: Dict[str, Any] | None,
               visibility: str = VisibilityState.TENANT) -> SecretsProvider:
        return self._update(name, _type, connection_parameters, visibility, name)

    @sends('DELETE /secrets-providers/{name}')
    def delete(self, name: str) -> None: ...

    @sends('GET /secrets-providers')
    def list(self, _include: Sequence[str] | None = None, **kwargs: Any) -> ListResponse[SecretsProvider]: ...

    @sends('PUT /secrets-providers', status=(200, 204), fixed={'test': True})
    def check(self, name: str = '', _type: str = '',
              connection_parameters: Dict[str, Any] | None = None) -> Any:
        """Whether the manager reaches such a provider; nothing is stored."""

    # The name is in the path and in the body.
    @sends('PATCH /secrets-providers/{name}')
    def _update(self, name: str, _type: str, connection_parameters: Dict[str, Any] | None, visibility: str,
                _name: str) -> SecretsProvider: ...
