"""ctx.node, ctx.instance and their relationships (docs/reference/python.md, "ctx")."""
from typing import Any, Callable, Dict, List, Optional

from cloudify.exceptions import NonRecoverableError
from cloudify.node_instance import NodeInstance, write, write_merged


def _read_only(*_: Any, **__: Any) -> Any:
    raise NonRecoverableError('Cannot override read only properties: keep values in '
                              'ctx.instance.runtime_properties instead')


class ImmutableProperties(dict):
    """A node's properties. `setdefault` is not refused: plugins fill in what is absent, for this operation alone."""

    __setitem__ = __delitem__ = update = clear = pop = popitem = _read_only  # type: ignore[assignment]

    def copy(self) -> Dict[str, Any]:
        return dict(self)

    def __reduce__(self) -> Any:  # so that copy.deepcopy gives an ordinary dict
        return dict, (dict(self),)


class NodeContext:
    """A node, read at first use and evaluated for one of its instances."""

    def __init__(self, context: Dict[str, Any], endpoint: Any) -> None:
        self._context = context
        self._endpoint = endpoint
        self._node: Optional[Dict[str, Any]] = None

    @property
    def id(self) -> str:
        return self._context.get('node_name')  # type: ignore[return-value]

    name = id

    @property
    def properties(self) -> Dict[str, Any]:
        return self._get_node_if_needed()['properties']

    @property
    def type(self) -> str:
        return self._get_node_if_needed()['type']

    @property
    def type_hierarchy(self) -> List[str]:
        return self._get_node_if_needed()['type_hierarchy']

    @property
    def number_of_instances(self) -> Optional[int]:
        return self._get_node_if_needed().get('number_of_instances')

    @property
    def relationships(self) -> List[Dict[str, Any]]:
        return self._get_node_if_needed().get('relationships') or []

    def _get_node_if_needed(self) -> Dict[str, Any]:
        if self._node is None:
            found = self._endpoint.get_node(self.id, instance_context=self._context.get('node_id'))
            self._node = dict(found, properties=ImmutableProperties(found.get('properties') or {}))
        return self._node


class NodeInstanceContext:
    """A node instance, read at first use; changed runtime properties are written when the operation ends."""

    def __init__(self, context: Dict[str, Any], endpoint: Any, node: NodeContext, modifiable: bool = True) -> None:
        self._context = context
        self._endpoint = endpoint
        self._node = node
        self._modifiable = modifiable
        self._node_instance: Optional[NodeInstance] = None
        self._is_stale = False
        self._host_ip: Optional[str] = None

    @property
    def id(self) -> str:
        return self._context.get('node_id')  # type: ignore[return-value]

    @property
    def runtime_properties(self) -> Any:
        """A DirtyTrackingDict. Any mapping can be assigned, and is taken over."""
        return self._get_node_instance_if_needed().runtime_properties

    @runtime_properties.setter
    def runtime_properties(self, value: Dict[str, Any]) -> None:
        self._get_node_instance_if_needed().runtime_properties = value

    @property
    def index(self) -> Optional[int]:
        return self._get_node_instance_if_needed().index

    @property
    def state(self) -> Optional[str]:
        return self._get_node_instance_if_needed().state

    @property
    def scaling_groups(self) -> Dict[str, str]:
        """{group instance id: group's name}"""
        return {one['id']: one['name'] for one in self._get_node_instance_if_needed().scaling_groups}

    @property
    def system_properties(self) -> Dict[str, Any]:
        return self._get_node_instance_if_needed().system_properties

    @property
    def drift(self) -> Any:
        """The last check_drift's result; None if that failed or has not run."""
        found = self.system_properties.get('configuration_drift') or {}
        return found.get('result') if found.get('ok') else None

    @property
    def relationships(self) -> List['RelationshipContext']:
        own = self._get_node_instance_if_needed().relationships
        hierarchies = {one['type']: one.get('type_hierarchy') for one in self._node.relationships} if own else {}
        return [RelationshipContext(one, self._endpoint, hierarchies.get(one['type'])) for one in own]

    @property
    def host_ip(self) -> str:
        if self._host_ip is None:
            instance = self._get_node_instance_if_needed()
            if not instance.host_id:
                raise NonRecoverableError('{0} is not contained in a host, so it has no host_ip'.format(self.id))
            own = {'runtime_properties': instance.runtime_properties, 'properties': self._node.properties}
            self._host_ip = self._endpoint.get_host_node_instance_ip(
                host_id=instance.host_id, **(own if instance.host_id == self.id else {}))
        return self._host_ip

    def update(self, on_conflict: Optional[Callable[..., Any]] = None) -> None:
        """Writes changed runtime properties now; the next look at them is at what is stored then.

        `on_conflict(local, latest)` is always asked what to store, from what is stored now, and again when somebody
        else stores something before it is. Without it, that is the client's error with status 409, and nothing is
        written without a change.
        """
        if on_conflict is not None:
            held = self._get_node_instance_if_needed()
            held.runtime_properties.check_modifiable()
            write_merged(held, on_conflict, self._endpoint.get_node_instance, self._endpoint.update_node_instance)
        elif self._node_instance is not None and self._node_instance.dirty:
            write(self._node_instance, self._endpoint.update_node_instance)
        else:
            return
        self._is_stale = True

    def refresh(self, force: bool = False) -> None:
        """Reads the instance anew. Raises NonRecoverableError if that would drop changes, unless `force`."""
        if self._node_instance is not None and self._node_instance.dirty and not force:
            raise NonRecoverableError('Instance runtime properties dirty: refresh would lose the changes of {0}; '
                                      'update it first, or use force'.format(self.id))
        fresh = self._endpoint.get_node_instance(self.id)
        self._is_stale = False
        if self._node_instance is None:
            fresh.runtime_properties.modifiable = self._modifiable
            self._node_instance = fresh
        else:
            self._node_instance.take(fresh)

    def _get_node_instance_if_needed(self) -> NodeInstance:
        if self._node_instance is None or (self._is_stale and not self._node_instance.dirty):
            self.refresh()
        return self._node_instance  # type: ignore[return-value]


class RelationshipSubjectContext:
    """ctx.source, ctx.target and a relationship's target: a node and one of its instances."""

    def __init__(self, context: Dict[str, Any], endpoint: Any, modifiable: bool = True) -> None:
        self._context = context
        self.node = NodeContext(context, endpoint)
        self.instance = NodeInstanceContext(context, endpoint, self.node, modifiable)


class RelationshipContext:
    """One of ctx.instance.relationships. Its target can be read, not changed."""

    def __init__(self, relationship_context: Dict[str, Any], endpoint: Any,
                 type_hierarchy: Optional[List[str]] = None) -> None:
        self._relationship_context = relationship_context
        self.type = relationship_context['type']
        self.type_hierarchy = type_hierarchy or [self.type]
        self.target = RelationshipSubjectContext(
            {'node_id': relationship_context['target_id'], 'node_name': relationship_context['target_name']},
            endpoint, modifiable=False)
