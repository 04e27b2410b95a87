"""A node instance and how its runtime properties are stored (docs/reference/operations.md, "Runtime properties")."""
import copy
import json
import sys
from typing import Any, Callable, Dict, Optional

from cloudify.exceptions import NonRecoverableError
from cloudify.runtime_properties import DirtyTrackingDict


class NodeInstance:
    """A node instance as last read, with the runtime properties as the operation changes them."""

    def __init__(self, node_instance_id: str, node_id: Optional[str] = None,
                 runtime_properties: Optional[Dict[str, Any]] = None, state: Optional[str] = None,
                 version: Optional[int] = None, host_id: Optional[str] = None, relationships: Optional[list] = None,
                 index: Optional[int] = None, scaling_groups: Optional[list] = None,
                 system_properties: Optional[Dict[str, Any]] = None) -> None:
        self.id = node_instance_id
        self._runtime_properties = DirtyTrackingDict(runtime_properties or {})
        self._take(node_id, state, version, host_id, relationships, index, scaling_groups, system_properties)

    def _take(self, node_id, state, version, host_id, relationships, index, scaling_groups, system_properties):
        self.node_id = node_id
        self.state = state
        self.version = version
        self.host_id = host_id
        self.relationships = relationships or []
        self.index = index
        self.scaling_groups = scaling_groups or []
        self.system_properties = system_properties or {}

    @classmethod
    def of(cls, row: Dict[str, Any]) -> 'NodeInstance':
        """From what the manager or a local storage answered."""
        return cls(row['id'], *[row.get(name) for name in (
            'node_id', 'runtime_properties', 'state', 'version', 'host_id', 'relationships', 'index', 'scaling_groups',
            'system_properties')])

    def take(self, other: 'NodeInstance') -> None:
        """Becomes the other, which was read later; the runtime properties stay the same object."""
        self._take(other.node_id, other.state, other.version, other.host_id, other.relationships, other.index,
                   other.scaling_groups, other.system_properties)
        self._runtime_properties.settle(other.runtime_properties)

    @property
    def runtime_properties(self) -> Any:
        """A DirtyTrackingDict. Any mapping can be assigned, and is taken over."""
        return self._runtime_properties

    @runtime_properties.setter
    def runtime_properties(self, value: Dict[str, Any]) -> None:
        fresh = dict(value)
        self._runtime_properties.clear()
        self._runtime_properties.update(fresh)

    @property
    def dirty(self) -> bool:
        return self._runtime_properties.dirty

    def __getitem__(self, key: str) -> Any:
        return self._runtime_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self._runtime_properties

    def get(self, key: str) -> Any:
        return self._runtime_properties.get(key)

    def put(self, key: str, value: Any) -> None:
        self._runtime_properties[key] = value

    def delete(self, key: str) -> None:
        del self._runtime_properties[key]


Update = Callable[[NodeInstance], None]
Fetch = Callable[[str], NodeInstance]


def write(instance: NodeInstance, update: Update) -> None:
    """Stores it. A manager that is away is waited for without end: what was done must not be forgotten."""
    while True:
        try:
            return update(instance)
        except unreachable():
            continue


def write_merged(instance: NodeInstance, merge: Callable[..., Any], fetch: Fetch, update: Update) -> None:
    """Stores what `merge(local, latest)` gives for the properties as they are here and as they are stored; it is asked
    again whenever somebody else wrote in between. It may change what it is given."""
    from cloudify_rest_client.exceptions import CloudifyClientError
    local = copy.deepcopy(dict(instance.runtime_properties))
    while True:
        latest = fetch(instance.id)
        merged = merge(copy.deepcopy(local), copy.deepcopy(dict(latest.runtime_properties)))
        if not isinstance(merged, dict):
            raise NonRecoverableError('on_conflict must return the runtime properties to store, not {0!r}'.format(
                merged))
        latest.runtime_properties = merged
        try:
            write(latest, update)
        except CloudifyClientError as error:
            if error.status_code != 409:
                raise
            continue
        instance.take(latest)
        return


def patch(instance: NodeInstance, send: Callable[[Dict[str, Any]], Dict[str, Any]]) -> None:
    """One attempt, by `send(body)`, which answers the new row. A 409 is CloudifyClientError with that status."""
    try:
        text = json.dumps(instance.runtime_properties, allow_nan=False)
    except ValueError as error:
        raise NonRecoverableError(
            'Runtime properties of {0} hold what JSON does not have, such as NaN or Infinity: {1}'.format(
                instance.id, error)) from error
    body = {'version': instance.version, 'state': instance.state, 'runtime_properties': json.loads(text)}
    row = send(body) or {}
    # The answer may hold functions unevaluated, where our copy holds their values: keep ours.
    instance.version = row.get('version', instance.version)
    instance.state = row.get('state', instance.state)
    instance.runtime_properties.settle(body['runtime_properties'])


def unreachable() -> tuple:
    """What a client raises when nobody answers: Python's own error or, if that is in use, that of `requests`."""
    requests = sys.modules.get('requests')
    return (ConnectionError,) if requests is None else (ConnectionError, requests.exceptions.ConnectionError)
