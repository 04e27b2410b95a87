from __future__ import annotations

from typing import Any, Sequence

from cloudify_rest_client.constants import VisibilityState
from cloudify_rest_client.responses import Item, ListResponse, optional
from cloudify_rest_client.sends import ResourceClient, sends


class Filter(Item):
    id = value = labels_filter_rules = attrs_filter_rules = created_at = updated_at = visibility = optional()
    tenant_name = optional()


class DeploymentsFiltersClient(ResourceClient):
    @sends('PUT /filters/deployments/{filter_id}')
    def create(self, filter_id: str, filter_rules: Sequence[Any], visibility: str = VisibilityState.TENANT,
               created_at: Any = None, created_by: str | None = None) -> Filter: ...

    @sends('GET /filters/deployments')
    def list(self, sort: str | None = None, is_descending: bool = False, **kwargs: Any) -> ListResponse[Filter]: ...

    @sends('GET /filters/deployments/{filter_id}')
    def get(self, filter_id: str) -> Filter: ...

    @sends('PATCH /filters/deployments/{filter_id}',
           wire={'new_filter_rules': 'filter_rules', 'new_visibility': 'visibility'})
    def update(self, filter_id: str, new_filter_rules: Sequence[Any] | None = None,
               new_visibility: str | None = None) -> Filter: ...

    @sends('DELETE /filters/deployments/{filter_id}')
    def delete(self, filter_id: str) -> None: ...


class BlueprintsFiltersClient(ResourceClient):
    @sends('PUT /filters/blueprints/{filter_id}')
    def create(self, filter_id: str, filter_rules: Sequence[Any], visibility: str = VisibilityState.TENANT,
               created_at: Any = None, created_by: str | None = None) -> Filter: ...

    @sends('GET /filters/blueprints')
    def list(self, sort: str | None = None, is_descending: bool = False, **kwargs: Any) -> ListResponse[Filter]: ...

    @sends('GET /filters/blueprints/{filter_id}')
    def get(self, filter_id: str) -> Filter: ...

    @sends('PATCH /filters/blueprints/{filter_id}',
           wire={'new_filter_rules': 'filter_rules', 'new_visibility': 'visibility'})
    def update(self, filter_id: str, new_filter_rules: Sequence[Any] | None = None,
               new_visibility: str | None = None) -> Filter: ...

    @sends('DELETE /filters/blueprints/{filter_id}')
    def delete(self, filter_id: str) -> None: ...
