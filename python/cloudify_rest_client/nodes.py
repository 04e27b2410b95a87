from __future__ import annotations

from typing import Any, Dict, Sequence

from cloudify_rest_client.responses import Item, ListResponse, optional, required
from cloudify_rest_client.sends import ResourceClient, sends


class Node(Item):
    id = deployment_id = created_by = properties = operations = relationships = blueprint_id = plugins = optional()
    number_of_instances = planned_number_of_instances = deploy_number_of_instances = unavailable_instances = optional()
    drifted_instances = host_id = optional()
    type_hierarchy = type = required()


class NodeTypes(Item):
    id = deployment_id = type = required()


class NodeTypesClient(ResourceClient):
    @sends('POST /searches/node-types', rest='query', query='node_type', wire={'node_type': '_search'})
    def _search(self, node_type: str | None, constraints: Dict[str, Any], **kwargs: Any) -> ListResponse[NodeTypes]: ...

    def list(self, node_type: str | None = None, constraints: Dict[str, Any] | None = None,
             **kwargs: Any) -> ListResponse[NodeTypes]:
        return self._search(node_type, {} if constraints is None else constraints, **kwargs)


class NodesClient(ResourceClient):
    def __init__(self, api: Any) -> None:
        super().__init__(api)
        self.types = NodeTypesClient(api)

    def list(self, _include: Sequence[str] | None = None, filter_rules: Sequence[Any] | None = None,
             constraints: Dict[str, Any] | None = None, **kwargs: Any) -> ListResponse[Node]:
        """`node_id` is another name for `id`. `evaluate_functions`: with the values of functions in place of them."""
        if 'node_id' in kwargs:
            kwargs['id'] = kwargs.pop('node_id')
        evaluate = kwargs.pop('evaluate_functions', kwargs.pop('_evaluate_functions', False))
        return self._list(_include, filter_rules, constraints, _evaluate_functions=evaluate, **kwargs)

    def get(self, deployment_id: str, node_id: str, _include: Sequence[str] | None = None,
            evaluate_functions: bool = False, instance_context: str | None = None) -> Node | None:
        """None if there is no such node. `instance_context`: the node instance that functions are evaluated for."""
        nodes = self._list(_include, deployment_id=deployment_id, id=node_id, _evaluate_functions=evaluate_functions,
                           _instance_context=instance_context)
        return nodes.items[0] if nodes.items else None

    @sends('POST /nodes', status=(201, 204))
    def create_many(self, deployment_id: str, nodes: Sequence[Dict[str, Any]]) -> None: ...

    @sends('PATCH /nodes/{deployment_id}/{node_id}', status=204)
    def update(self, deployment_id: str, node_id: str, **kwargs: Any) -> None: ...

    @sends('DELETE /nodes/{deployment_id}/{node_id}', status=204)
    def delete(self, deployment_id: str, node_id: str) -> None: ...

    @sends('GET /nodes', search='/searches/nodes')
    def _list(self, _include: Sequence[str] | None = None, filter_rules: Sequence[Any] | None = None,
              constraints: Dict[str, Any] | None = None, **kwargs: Any) -> ListResponse[Node]: ...
