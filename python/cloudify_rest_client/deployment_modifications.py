from __future__ import annotations

from typing import Any, Dict, Sequence

from cloudify_rest_client.responses import Item, ListResponse, optional, required
from cloudify_rest_client.sends import ResourceClient, sends


class DeploymentModificationNodeInstances(Item):
    added_and_related = removed_and_related = before_modification = required()
    before_rollback = optional()


class DeploymentModification(Item):
    STARTED = 'started'
    FINISHED = 'finished'
    ROLLEDBACK = 'rolledback'

    id = status = deployment_id = modified_nodes = created_at = ended_at = context = required()
    node_instances = required(of=DeploymentModificationNodeInstances)


class DeploymentModificationsClient(ResourceClient):
    @sends('GET /deployment-modifications')
    def list(self, deployment_id: str | None = None, _include: Sequence[str] | None = None,
             **kwargs: Any) -> ListResponse[DeploymentModification]: ...

    @sends('POST /deployment-modifications', status=201)
    def start(self, deployment_id: str, nodes: Dict[str, Any],
              context: Dict[str, Any] | None = None) -> DeploymentModification: ...

    @sends('GET /deployment-modifications/{modification_id}')
    def get(self, modification_id: str, _include: Sequence[str] | None = None) -> DeploymentModification: ...

    @sends('POST /deployment-modifications/{modification_id}/finish')
    def finish(self, modification_id: str) -> DeploymentModification: ...

    @sends('POST /deployment-modifications/{modification_id}/rollback')
    def rollback(self, modification_id: str) -> DeploymentModification: ...
