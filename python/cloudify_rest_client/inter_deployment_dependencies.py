from __future__ import annotations

from typing import Any, Dict, Sequence

from cloudify_rest_client.responses import Item, ListResponse, required
from cloudify_rest_client.sends import ResourceClient, sends


class InterDeploymentDependency(Item):
    id = target_deployment_func = dependency_creator = source_deployment_id = target_deployment_id = required()
    created_at = required()


class InterDeploymentDependencyClient(ResourceClient):
    @sends('PUT /deployments/inter-deployment-dependencies')
    def create(self, dependency_creator: str, source_deployment: str, target_deployment: str | None = None,
               external_source: Any = None, external_target: Any = None, target_deployment_func: Any = None,
               _id: str | None = None, _visibility: str | None = None, _created_at: Any = None,
               _created_by: str | None = None) -> InterDeploymentDependency: ...

    @sends('POST /deployments/inter-deployment-dependencies')
    def create_many(self, source_deployment_id: str,
                    inter_deployment_dependencies: Sequence[Dict[str, Any]]) -> ListResponse[str]: ...

    @sends('PUT /deployments/{source_deployment_id}/inter-deployment-dependencies')
    def update_all(self, source_deployment_id: str,
                   inter_deployment_dependencies: Sequence[Dict[str, Any]]) -> ListResponse[str]: ...

    @sends('DELETE /deployments/inter-deployment-dependencies',
           body='dependency_creator source_deployment target_deployment is_component_deletion external_source '
                'external_target')
    def delete(self, dependency_creator: str, source_deployment: str, target_deployment: str | None = None,
               is_component_deletion: bool = False, external_source: Any = None,
               external_target: Any = None) -> None: ...

    @sends('GET /deployments/inter-deployment-dependencies')
    def list(self, _include: Sequence[str] | None = None, sort: str | None = None, is_descending: bool = False,
             **kwargs: Any) -> ListResponse[InterDeploymentDependency]: ...

    @sends('POST /deployments/inter-deployment-dependencies/restore')
    def legacy_restore(self, deployment_id: str, update_service_composition: bool) -> None: ...
