from __future__ import annotations

from cloudify_rest_client.responses import Item, ListResponse, required
from cloudify_rest_client.sends import ResourceClient, sends


class Label(Item):
    key = value = created_at = creator_id = required()


class DeploymentsLabelsClient(ResourceClient):
    @sends('GET /labels/deployments')
    def list_keys(self) -> ListResponse[str]: ...

    @sends('GET /labels/deployments/{label_key}')
    def list_key_values(self, label_key: str) -> ListResponse[str]: ...

    @sends('GET /labels/deployments', fixed={'_reserved': True})
    def get_reserved_labels_keys(self) -> ListResponse[str]: ...


class BlueprintsLabelsClient(ResourceClient):
    @sends('GET /labels/blueprints')
    def list_keys(self) -> ListResponse[str]: ...

    @sends('GET /labels/blueprints/{label_key}')
    def list_key_values(self, label_key: str) -> ListResponse[str]: ...

    @sends('GET /labels/blueprints', fixed={'_reserved': True})
    def get_reserved_labels_keys(self) -> ListResponse[str]: ...
