from __future__ import annotations

from typing import Any, Dict

from cloudify_rest_client.sends import ResourceClient, sends


class ClusterStatusClient(ResourceClient):
    @sends('GET /cluster-status', wire={'summary_format': 'summary'})
    def get_status(self, summary_format: bool = False) -> Dict[str, Any]: ...
