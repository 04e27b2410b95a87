"""Nodes, instances and relationships as workflow functions see them (docs/reference/python-workflows.md, "Nodes")."""
from typing import Any, Dict, Iterator, List, Optional, Set

from cloudify.workflows.operations import execute_operation


class CloudifyWorkflowRelationship:
    def __init__(self, ctx: Any, node: 'CloudifyWorkflowNode', nodes_and_instances: Any,
                 relationship: Dict[str, Any]) -> None:
        self.ctx = ctx
        self.node = node
        self._nodes_and_instances = nodes_and_instances
        self._relationship = relationship

    @property
    def target_id(self) -> str:
        return self._relationship['target_id']

    @property
    def target_node(self) -> Optional['CloudifyWorkflowNode']:
        return self._nodes_and_instances.get_node(self.target_id)

    @property
    def type(self) -> str:
        return self._relationship['type']

    @property
    def type_hierarchy(self) -> List[str]:
        return self._relationship.get('type_hierarchy') or [self.type]

    @property
    def properties(self) -> Dict[str, Any]:
        return self._relationship.get('properties') or {}

    @property
    def source_operations(self) -> Dict[str, Any]:
        return self._relationship.get('source_operations') or {}

    @property
    def target_operations(self) -> Dict[str, Any]:
        return self._relationship.get('target_operations') or {}

    def is_derived_from(self, other_relationship: str) -> bool:
        return other_relationship in self.type_hierarchy


class CloudifyWorkflowRelationshipInstance:
    def __init__(self, ctx: Any, node_instance: 'CloudifyWorkflowNodeInstance', nodes_and_instances: Any,
                 relationship_instance: Dict[str, Any]) -> None:
        self.ctx = ctx
        self.node_instance = node_instance
        self._nodes_and_instances = nodes_and_instances
        self._relationship_instance = relationship_instance
        self._relationship = node_instance.node.get_relationship(relationship_instance['target_name'])

    @property
    def type(self) -> str:
        return self._relationship_instance['type']

    @property
    def source_id(self) -> str:
        return self.node_instance.id

    @property
    def target_id(self) -> str:
        return self._relationship_instance['target_id']

    @property
    def target_node_instance(self) -> Optional['CloudifyWorkflowNodeInstance']:
        return self._nodes_and_instances.get_node_instance(self.target_id)

    @property
    def relationship(self) -> CloudifyWorkflowRelationship:
        return self._relationship

    def execute_source_operation(self, operation: str, kwargs: Optional[Dict[str, Any]] = None,
                                 allow_kwargs_override: bool = False, send_task_events: bool = True) -> Any:
        return execute_operation(
            self.ctx, operation, self.node_instance, self.relationship.source_operations,
            related=self.target_node_instance, related_is_target=True, kwargs=kwargs,
            allow_kwargs_override=allow_kwargs_override, send_task_events=send_task_events)

    def execute_target_operation(self, operation: str, kwargs: Optional[Dict[str, Any]] = None,
                                 allow_kwargs_override: bool = False, send_task_events: bool = True) -> Any:
        return execute_operation(
            self.ctx, operation, self.target_node_instance, self.relationship.target_operations,
            related=self.node_instance, related_is_target=False, kwargs=kwargs,
            allow_kwargs_override=allow_kwargs_override, send_task_events=send_task_events)


class CloudifyWorkflowNode:
    def __init__(self, ctx: Any, node: Dict[str, Any], nodes_and_instances: Any) -> None:
        self.ctx = ctx
        self._node = node
        self._nodes_and_instances = nodes_and_instances
        self._relationships = {one['target_id']: CloudifyWorkflowRelationship(ctx, self, nodes_and_instances, one)
                               for one in node.get('relationships') or []}
        self._node_instances: Dict[str, CloudifyWorkflowNodeInstance] = {}

    @property
    def id(self) -> str:
        return self._node['id']

    @property
    def type(self) -> str:
        return self._node['type']

    @property
    def type_hierarchy(self) -> List[str]:
        return self._node.get('type_hierarchy') or [self.type]

    @property
    def properties(self) -> Dict[str, Any]:
        return self._node.get('properties') or {}

    @property
    def operations(self) -> Dict[str, Any]:
        return self._node.get('operations') or {}

    @property
    def plugins(self) -> List[Dict[str, Any]]:
        return self._node.get('plugins') or []

    @property
    def plugins_to_install(self) -> List[Dict[str, Any]]:
        return self._node.get('plugins_to_install') or []

    @property
    def relationships(self) -> Iterator[CloudifyWorkflowRelationship]:
        return iter(self._relationships.values())

    @property
    def instances(self) -> Iterator['CloudifyWorkflowNodeInstance']:
        return iter(self._node_instances.values())

    @property
    def host_id(self) -> Optional[str]:
        return self._node.get('host_id')

    @property
    def host_node(self) -> Optional['CloudifyWorkflowNode']:
        return self._nodes_and_instances.get_node(self.host_id) if self.host_id else None

    @property
    def number_of_instances(self) -> Optional[int]:
        return self._node.get('number_of_instances')

    @property
    def planned_number_of_instances(self) -> Optional[int]:
        return self._node.get('planned_number_of_instances')

    def has_operation(self, operation_name: str) -> bool:
        return bool((self.operations.get(operation_name) or {}).get('operation'))

    def get_relationship(self, target_id: str) -> Any:
        return self._relationships.get(target_id)


class CloudifyWorkflowNodeInstance:
    def __init__(self, ctx: Any, node: CloudifyWorkflowNode, node_instance: Dict[str, Any],
                 nodes_and_instances: Any) -> None:
        self.ctx = ctx
        self.node = node
        self._node_instance = node_instance
        self._nodes_and_instances = nodes_and_instances
        self._relationship_instances = {
            one['target_id']: CloudifyWorkflowRelationshipInstance(ctx, self, nodes_and_instances, one)
            for one in node_instance.get('relationships') or []}
        self._contained_instances: List[CloudifyWorkflowNodeInstance] = []
        self._logger: Any = None
        node._node_instances[self.id] = self

    @property
    def id(self) -> str:
        return self._node_instance['id']

    @property
    def node_id(self) -> str:
        return self._node_instance['node_id']

    @property
    def state(self) -> Optional[str]:
        return self._node_instance.get('state')

    @property
    def version(self) -> Optional[int]:
        return self._node_instance.get('version')

    @property
    def deployment_id(self) -> Optional[str]:
        return self._node_instance.get('deployment_id')

    @property
    def host_id(self) -> Optional[str]:
        return self._node_instance.get('host_id')

    @property
    def runtime_properties(self) -> Dict[str, Any]:
        return self._node_instance.get('runtime_properties') or {}

    @property
    def system_properties(self) -> Dict[str, Any]:
        return self._node_instance.get('system_properties') or {}

    @property
    def scaling_groups(self) -> List[Dict[str, Any]]:
        return self._node_instance.get('scaling_groups') or []

    @property
    def modification(self) -> Optional[str]:
        """None, 'added' or 'removed', in a modification of the deployment."""
        return self._node_instance.get('modification')

    @property
    def relationships(self) -> Iterator[CloudifyWorkflowRelationshipInstance]:
        return iter(self._relationship_instances.values())

    @property
    def contained_instances(self) -> List['CloudifyWorkflowNodeInstance']:
        return self._contained_instances

    def get_contained_subgraph(self) -> Set['CloudifyWorkflowNodeInstance']:
        """Itself and all that is contained in it, however deep."""
        found = {self}
        for one in self._contained_instances:
            found.update(one.get_contained_subgraph())
        return found

    @property
    def logger(self) -> Any:
        if self._logger is None:
            from cloudify.logs import CloudifyWorkflowNodeLoggingHandler, init_cloudify_logger
            self._logger = init_cloudify_logger(
                CloudifyWorkflowNodeLoggingHandler(self), '{0}-{1}'.format(self.ctx.execution_id, self.id))
        return self._logger

    # ---- tasks

    def set_state(self, state: str) -> Any:
        from cloudify.workflows.tasks import NOPLocalWorkflowTask, SetNodeInstanceStateTask
        if self.ctx.dry_run:
            return self.ctx._process_task(NOPLocalWorkflowTask(self.ctx))
        self._node_instance['state'] = state
        return self.ctx._process_task(SetNodeInstanceStateTask(self.ctx, self.id, state, info=state))

    def get_state(self) -> Any:
        from cloudify.workflows.tasks import GetNodeInstanceStateTask
        return self.ctx._process_task(GetNodeInstanceStateTask(self.ctx, self.id))

    def send_event(self, event: Any, additional_context: Optional[Dict[str, Any]] = None) -> Any:
        from cloudify.workflows.tasks import SendNodeEventTask
        return self.ctx._process_task(SendNodeEventTask(self.ctx, self.id, event, additional_context, info=event))

    def execute_operation(self, operation: str, kwargs: Optional[Dict[str, Any]] = None,
                          allow_kwargs_override: bool = False, send_task_events: bool = True) -> Any:
        return execute_operation(self.ctx, operation, self, self.node.operations, kwargs=kwargs,
                                 allow_kwargs_override=allow_kwargs_override, send_task_events=send_task_events)

    def __hash__(self) -> int:
        return hash(self.id)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, CloudifyWorkflowNodeInstance) and self.id == other.id

    def __repr__(self) -> str:
        return '<node instance {0}>'.format(self.id)


class NodesAndInstances:
    """Those of a deployment, or of a part of it."""

    def __init__(self, ctx: Any, nodes: List[Dict[str, Any]], instances: List[Dict[str, Any]]) -> None:
        self._nodes = {row['id']: CloudifyWorkflowNode(ctx, row, self) for row in nodes}
        self._instances = {row['id']: CloudifyWorkflowNodeInstance(ctx, self._nodes[row['node_id']], row, self)
                           for row in instances if row['node_id'] in self._nodes}
        for instance in self._instances.values():
            for relationship in instance.relationships:
                definition, host = relationship.relationship, relationship.target_node_instance
                if host is not None and definition is not None and definition.is_derived_from(
                        'cloudify.relationships.contained_in'):
                    host._contained_instances.append(instance)

    @property
    def nodes(self) -> Iterator[CloudifyWorkflowNode]:
        return iter(self._nodes.values())

    @property
    def node_instances(self) -> Iterator[CloudifyWorkflowNodeInstance]:
        return iter(self._instances.values())

    def get_node(self, node_id: Optional[str]) -> Any:
        return self._nodes.get(node_id)  # type: ignore[arg-type]

    def get_node_instance(self, node_instance_id: Optional[str]) -> Any:
        return self._instances.get(node_instance_id)  # type: ignore[arg-type]
