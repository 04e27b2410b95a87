from __future__ import annotations

from typing import Any

from cloudify_rest_client.responses import Item, required
from cloudify_rest_client.sends import ResourceClient, sends


class EvaluatedFunctions(Item):
    deployment_id = payload = required()


class EvaluateClient(ResourceClient):
    @sends('POST /evaluate/functions')
    def functions(self, deployment_id: str, context: Any, payload: Any) -> EvaluatedFunctions: ...
