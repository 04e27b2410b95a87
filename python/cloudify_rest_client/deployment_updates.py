from __future__ import annotations

from typing import Any, Dict, Sequence

from cloudify_rest_client.responses import Item, ListResponse, required
from cloudify_rest_client.sends import ResourceClient, sends


class DeploymentUpdate(Item):
    id = state = deployment_id = old_blueprint_id = new_blueprint_id = old_inputs = new_inputs = steps = required()
    execution_id = created_at = runtime_only_evaluation = deployment_plan = required()


class DeploymentUpdatesClient(ResourceClient):
    @sends('PUT /deployment-updates/{update_id}')
    def create(self, update_id: str, deployment_id: str, **kwargs: Any) -> DeploymentUpdate: ...

    @sends('PATCH /deployment-updates/{update_id}')
    def set_attributes(self, update_id: str, **kwargs: Any) -> None: ...

    @sends('GET /deployment-updates')
    def list(self, _include: Sequence[str] | None = None, sort: str | None = None, is_descending: bool = False,
             **kwargs: Any) -> ListResponse[DeploymentUpdate]: ...

    @sends('POST /deployment-updates', status=(201, 204), wire={'updates': 'deployment_updates'})
    def bulk_insert(self, updates: Sequence[Dict[str, Any]]) -> None: ...

    @sends('GET /deployment-updates/{update_id}')
    def get(self, update_id: str, _include: Sequence[str] | None = None) -> DeploymentUpdate: ...

    @sends('POST /deployment-updates/{deployment_id}/update/initiate', null='blueprint_id workflow_id')
    def update_with_existing_blueprint(
            self, deployment_id: str, blueprint_id: str | None = None, inputs: Dict[str, Any] | None = None,
            skip_install: bool = False, skip_uninstall: bool = False, skip_reinstall: bool = False,
            skip_drift_check: bool = False, skip_heal: bool = False, force_reinstall: bool = False,
            workflow_id: str | None = None, force: bool = False, ignore_failure: bool = False,
            install_first: bool = False, reinstall_list: Sequence[str] | None = None, preview: bool = False,
            update_plugins: bool = True, runtime_only_evaluation: bool | None = None,
            auto_correct_types: bool | None = None,
            reevaluate_active_statuses: bool | None = None) -> DeploymentUpdate: ...

    @sends('POST /deployment-updates/{update_id}/update/finalize')
    def finalize_commit(self, update_id: str) -> DeploymentUpdate: ...
