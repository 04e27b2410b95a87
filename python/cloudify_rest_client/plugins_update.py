from __future__ import annotations

from typing import Any, Dict, Sequence

from cloudify_rest_client.responses import Item, ListResponse, required
from cloudify_rest_client.sends import ResourceClient, sends


class PluginsUpdate(Item):
    id = state = blueprint_id = temp_blueprint_id = execution_id = deployments_to_update = required()
    deployments_per_tenant = created_at = forced = tenant_name = required()


class PluginsUpdateClient(ResourceClient):
    @sends('POST /plugins-updates/{blueprint_id}/update/initiate',
           if_set='force plugin_names to_latest to_minor all_to_minor mapping auto_correct_types '
                  'reevaluate_active_statuses all_tenants')
    def update_plugins(self, blueprint_id: str, force: bool = False, plugin_names: Sequence[str] | None = None,
                       to_latest: Sequence[str] | None = None, all_to_latest: bool = True,
                       to_minor: Sequence[str] | None = None, all_to_minor: bool = False,
                       mapping: Dict[str, Any] | None = None, auto_correct_types: bool = False,
                       reevaluate_active_statuses: bool = False, all_tenants: bool = False) -> PluginsUpdate: ...

    @sends('POST /plugins-updates/{blueprint_id}/update/initiate', if_set='force')
    def inject(self, blueprint_id: str, force: bool = False, created_by: str | None = None, created_at: Any = None,
               execution_id: str | None = None, state: str | None = None, update_id: str | None = None,
               affected_deployments: Sequence[str] | None = None,
               deployments_per_tenant: Dict[str, Sequence[str]] | None = None, all_tenants: bool | None = None,
               temp_blueprint_id: str | None = None) -> PluginsUpdate: ...

    @sends('GET /plugins-updates/{plugins_update_id}')
    def get(self, plugins_update_id: str, _include: Sequence[str] | None = None, **kwargs: Any) -> PluginsUpdate: ...

    @sends('GET /plugins-updates')
    def list(self, _include: Sequence[str] | None = None, sort: str | None = None, is_descending: bool = False,
             **kwargs: Any) -> ListResponse[PluginsUpdate]: ...

    @sends('POST /plugins-updates/{plugins_update_id}/update/finalize')
    def finalize_plugins_update(self, plugins_update_id: str) -> PluginsUpdate: ...
