from __future__ import annotations

from typing import Any, Dict, Sequence

from cloudify_rest_client.responses import Item, ListResponse, optional, required
from cloudify_rest_client.sends import ResourceClient, sends


class Workflow(Item):
    id = required('name')
    name = parameters = operation = plugin = required()
    is_available = optional(default=True)
    availability_rules = optional()


class WorkflowsClient(ResourceClient):
    @sends('GET /workflows', search='/searches/workflows')
    def list(self, filter_id: str | None = None, filter_rules: Sequence[Any] | None = None,
             **kwargs: Any) -> ListResponse[Workflow]: ...
