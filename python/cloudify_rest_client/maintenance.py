from __future__ import annotations

from cloudify_rest_client.responses import Item, optional
from cloudify_rest_client.sends import ResourceClient, sends


class Maintenance(Item):
    status = activated_at = activation_requested_at = requested_by = optional()
    remaining_executions = optional(default=[])


class MaintenanceModeClient(ResourceClient):
    @sends('GET /maintenance')
    def status(self) -> Maintenance: ...

    @sends('POST /maintenance/activate')
    def activate(self) -> Maintenance: ...

    @sends('POST /maintenance/deactivate')
    def deactivate(self) -> Maintenance: ...
