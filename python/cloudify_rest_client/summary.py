"""How many there are of each: `client.summary.deployments.get('blueprint_id')`."""
from __future__ import annotations

from typing import Any, Dict

from cloudify_rest_client.responses import ListResponse
from cloudify_rest_client.sends import ResourceClient, sends


class SummaryClient(ResourceClient):
    @sends('GET /summary/{_of}')
    def _get(self, _of: str, _target_field: str, _sub_field: str | None = None,
             **kwargs: Any) -> ListResponse[Dict[str, Any]]: ...

    def __init__(self, api: Any, of: str) -> None:
        super().__init__(api)
        self._of = of

    def get(self, _target_field: str, _sub_field: str | None = None,
            **kwargs: Any) -> ListResponse[Dict[str, Any]]:
        return self._get(self._of, _target_field, _sub_field, **kwargs)


class SummariesClient:
    def __init__(self, api: Any) -> None:
        self.blueprints = SummaryClient(api, 'blueprints')
        self.deployments = SummaryClient(api, 'deployments')
        self.executions = SummaryClient(api, 'executions')
        self.nodes = SummaryClient(api, 'nodes')
        self.node_instances = SummaryClient(api, 'node_instances')
        self.execution_schedules = SummaryClient(api, 'execution_schedules')
