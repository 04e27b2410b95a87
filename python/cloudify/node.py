"""ctx.node, ctx.instance and their relationships (docs/reference/python.md, "ctx")."""
from cloudify.exceptions import NonRecoverableError
from cloudify.manager import fetch_node_instance, save, save_merged


def _read_only(*_, **__):
    raise NonRecoverableError('Cannot override read only properties: keep values in '
                              'ctx.instance.runtime_properties instead')


class ReadOnlyDict(dict):
    """A node's properties."""

    __setitem__ = __delitem__ = update = clear = pop = popitem = setdefault = _read_only

    def copy(self):
        return dict(self)

    def __reduce__(self):  # so that copy.deepcopy gives an ordinary dict
        return dict, (dict(self),)


class NodeContext:
    """A node, read at first use and evaluated for one of its instances."""

    def __init__(self, manager, deployment_id, name, instance_id):
        self._manager = manager
        self._deployment_id = deployment_id
        self._instance_id = instance_id
        self._row = None
        self.id = name
        self.name = name

    @property
    def properties(self):
        return self._read()['properties']

    @property
    def type(self):
        return self._read()['type']

    @property
    def type_hierarchy(self):
        return self._read()['type_hierarchy']

    @property
    def number_of_instances(self):
        return self._read().get('number_of_instances')

    @property
    def relationships(self):
        return self._read().get('relationships') or []

    def _read(self):
        if self._row is None:
            found = self._manager.call('GET', '/nodes', {
                'deployment_id': self._deployment_id, 'id': self.id,
                '_evaluate_functions': True, '_instance_context': self._instance_id})['items']
            if not found:
                raise NonRecoverableError('Deployment {0} has no node {1}'.format(self._deployment_id, self.id))
            self._row = dict(found[0], properties=ReadOnlyDict(found[0].get('properties') or {}))
        return self._row


class NodeInstanceContext:
    """A node instance, read at first use; changed runtime properties are written when the operation ends."""

    def __init__(self, manager, deployment_id, instance_id, node, modifiable=True):
        self._manager = manager
        self._deployment_id = deployment_id
        self._node = node
        self._modifiable = modifiable
        self._instance = None
        self._is_stale = False
        self._host_ip = None
        self.id = instance_id

    @property
    def runtime_properties(self):
        return self._read().runtime_properties

    @runtime_properties.setter
    def runtime_properties(self, value):
        held = self._read().runtime_properties
        fresh = dict(value)
        held.clear()
        held.update(fresh)

    @property
    def index(self):
        return self._read().row.get('index')

    @property
    def state(self):
        return self._read().row.get('state')

    @property
    def scaling_groups(self):
        return self._read().row.get('scaling_groups') or []

    @property
    def system_properties(self):
        return self._read().row.get('system_properties') or {}

    @property
    def drift(self):
        """The last check_drift's result; None if that failed or has not run."""
        found = self.system_properties.get('configuration_drift') or {}
        return found.get('result') if found.get('ok') else None

    @property
    def relationships(self):
        hierarchies = {one['type']: one.get('type_hierarchy') for one in self._node.relationships} \
            if self._read().row.get('relationships') else {}
        return [RelationshipContext(self._manager, self._deployment_id, one, hierarchies.get(one['type']))
                for one in self._read().row.get('relationships') or []]

    @property
    def host_ip(self):
        if self._host_ip is None:
            self._host_ip = self._find_host_ip()
        return self._host_ip

    def update(self, on_conflict=None):
        """Writes changed runtime properties now; the next look at them is at what is stored then.

        `on_conflict(local, latest)` is always asked what to store, from what is stored now, and again when somebody
        else stores something before it is. Without it, that is an error, and nothing is written without a change.
        """
        if on_conflict is not None:
            held = self._read()
            held.runtime_properties.check_modifiable()
            save_merged(held, on_conflict)
        elif self._instance is not None and self._instance.runtime_properties.dirty:
            save(self._instance)
        else:
            return
        self._is_stale = True

    def refresh(self, force=False):
        """Reads the instance anew. Raises NonRecoverableError if that would drop changes, unless `force`."""
        if self._instance is not None and self._instance.runtime_properties.dirty and not force:
            raise NonRecoverableError('Instance runtime properties dirty: refresh would lose the changes of {0}; '
                                      'update it first, or use force'.format(self.id))
        fresh = fetch_node_instance(self._manager, self.id)
        self._is_stale = False
        if self._instance is None:
            self._hold(fresh)
        else:
            self._instance.row = fresh.row
            self._instance.runtime_properties.settle(fresh.runtime_properties)

    def _read(self):
        if self._instance is None:
            self._hold(fetch_node_instance(self._manager, self.id))
        elif self._is_stale and not self._instance.runtime_properties.dirty:
            self.refresh()
        return self._instance

    def _hold(self, instance):
        instance.runtime_properties.modifiable = self._modifiable
        self._instance = instance

    def _find_host_ip(self):
        host_id = self._read().row.get('host_id')
        if not host_id:
            raise NonRecoverableError('{0} is not contained in a host, so it has no host_ip'.format(self.id))
        host = self._instance if host_id == self.id else fetch_node_instance(self._manager, host_id)
        address = host.runtime_properties.get('ip')
        if not address:
            name = host.row['node_id']
            node = NodeContext(self._manager, host.row.get('deployment_id') or self._deployment_id, name, host_id)
            address = node.properties.get('ip')
        if not address:
            raise NonRecoverableError('Host {0} has neither a runtime property nor a property "ip"'.format(host_id))
        return address


class EntityContext:
    """ctx.source, ctx.target and a relationship's target: a node and one of its instances."""

    def __init__(self, manager, deployment_id, node_name, instance_id, modifiable=True):
        self.node = NodeContext(manager, deployment_id, node_name, instance_id)
        self.instance = NodeInstanceContext(manager, deployment_id, instance_id, self.node, modifiable)


class RelationshipContext:
    def __init__(self, manager, deployment_id, relationship, type_hierarchy):
        self.type = relationship['type']
        self.type_hierarchy = type_hierarchy or [self.type]
        self.target = EntityContext(
            manager, deployment_id, relationship['target_name'], relationship['target_id'], modifiable=False)
