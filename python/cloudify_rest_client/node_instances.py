from __future__ import annotations

from typing import Any, Dict, Sequence

from cloudify_rest_client.responses import Item, ListResponse, optional
from cloudify_rest_client.sends import ResourceClient, sends


class NodeInstance(Item):
    id = node_id = relationships = host_id = deployment_id = created_by = runtime_properties = optional()
    system_properties = state = version = index = optional()
    scaling_groups = optional(default=[])
    is_status_check_ok = optional(default=True)
    has_configuration_drift = optional(default=False)


class NodeInstancesClient(ResourceClient):
    @sends('POST /node-instances', status=(201, 204))
    def create_many(self, deployment_id: str, node_instances: Sequence[Dict[str, Any]]) -> None: ...

    @sends('GET /node-instances/{node_instance_id}', wire={'evaluate_functions': '_evaluate_functions'})
    def get(self, node_instance_id: str, _include: Sequence[str] | None = None,
            evaluate_functions: bool = False) -> NodeInstance: ...

    @sends('PATCH /node-instances/{node_instance_id}', query='force', if_set='force')
    def update(self, node_instance_id: str, state: str | None = None, runtime_properties: Dict[str, Any] | None = None,
               version: int | None = 1, force: bool = False, relationships: Sequence[Any] | None = None,
               system_properties: Dict[str, Any] | None = None) -> NodeInstance:
        """`version` is that of the node instance as it was read; the manager refuses older ones (409)."""

    def list(self, _include: Sequence[str] | None = None, constraints: Dict[str, Any] | None = None,
             **kwargs: Any) -> ListResponse[NodeInstance]:
        """`node_name` is another name for `node_id`."""
        if 'node_name' in kwargs:
            kwargs['node_id'] = kwargs.pop('node_name')
        return self._list(_include, constraints, **kwargs)

    def search(self, ids: Sequence[str], all_tenants: bool = False) -> ListResponse[NodeInstance]:
        """The node instances with these ids."""
        rule = {'key': 'id', 'values': list(ids), 'operator': 'any_of', 'type': 'attribute'}
        return self._search([rule], all_tenants)

    @sends('DELETE /node-instances/{instance_id}', status=204)
    def delete(self, instance_id: str) -> None: ...

    @sends('GET /node-instances', search='/searches/node-instances')
    def _list(self, _include: Sequence[str] | None = None, constraints: Dict[str, Any] | None = None,
              **kwargs: Any) -> ListResponse[NodeInstance]: ...

    @sends('POST /searches/node-instances', query='all_tenants', if_set='all_tenants',
           wire={'all_tenants': '_all_tenants'})
    def _search(self, filter_rules: Sequence[Any], all_tenants: bool) -> ListResponse[NodeInstance]: ...
