"""Runs without a manager (docs/reference/python-workflows.md, "Local runs"): their storage. Reading a blueprint is the
manager's work here, so there is no environment of one."""
import copy
import json
import os
import tempfile
import threading
from typing import Any, Dict, List, Optional

from cloudify.records import Record
from cloudify.workflows.engine import not_built

INSTEAD = ('for the unit test of an operation use cloudify.mocks.MockCloudifyContext, for a whole blueprint a manager '
           '(`tutti serve`) and its client')


class StorageConflictError(Exception):
    """Somebody else has stored the instance since it was read."""


def init_env(blueprint_path: str, name: str = 'local', inputs: Optional[Dict[str, Any]] = None, storage: Any = None,
             ignored_modules: Optional[List[str]] = None, provider_context: Optional[Dict[str, Any]] = None,
             resolver: Any = None, validate_version: bool = True) -> Any:
    raise not_built('A local environment of blueprint {0}'.format(blueprint_path), INSTEAD)


def load_env(name: str, storage: Any, resolver: Any = None) -> Any:
    """None when the storage has none of that name."""
    if not storage.exists(name):
        return None
    raise not_built('Local environment {0}'.format(name), INSTEAD)


class _Storage:
    def __init__(self) -> None:
        self.name: Optional[str] = None
        self.plan: Dict[str, Any] = {}
        self.provider_context: Dict[str, Any] = {}
        self.resources_root: Optional[str] = None
        self._locks: Dict[str, threading.RLock] = {}

    # ---- what the two kinds do their way

    def _nodes(self) -> Dict[str, Any]:
        raise NotImplementedError

    def _load_instance(self, node_instance_id: str) -> Dict[str, Any]:
        raise NotImplementedError

    def _store_instance(self, instance: Dict[str, Any]) -> None:
        raise NotImplementedError

    def _instance_ids(self) -> List[str]:
        raise NotImplementedError

    def exists(self, name: str) -> bool:
        raise NotImplementedError

    # ---- the same for both

    def init(self, name: str, plan: Dict[str, Any], nodes: List[Dict[str, Any]], node_instances: List[Dict[str, Any]],
             provider_context: Optional[Dict[str, Any]] = None, resources_root: Optional[str] = None) -> None:
        """Begins with these."""
        self.name = name
        self.plan = plan
        self.provider_context = provider_context or {}
        self.resources_root = resources_root
        self._begin(nodes)
        for row in node_instances:
            self._store_instance(dict({'version': 0, 'runtime_properties': {}, 'system_properties': {},
                                       'relationships': [], 'state': 'uninitialized'}, **copy.deepcopy(row)))

    def _begin(self, nodes: List[Dict[str, Any]]) -> None:
        raise NotImplementedError

    def get_node(self, node_id: str) -> Record:
        nodes = self._nodes()
        if node_id not in nodes:
            raise RuntimeError('Node {0} does not exist'.format(node_id))
        return Record(copy.deepcopy(nodes[node_id]))

    def get_nodes(self) -> List[Record]:
        return [Record(copy.deepcopy(row)) for row in self._nodes().values()]

    def get_node_instance(self, node_instance_id: str) -> Record:
        return Record(copy.deepcopy(self._load_instance(node_instance_id)))

    def get_node_instances(self, node_id: Optional[str] = None) -> List[Record]:
        found = [self.get_node_instance(one) for one in self._instance_ids()]
        return [one for one in found if node_id in (None, one['node_id'])]

    def update_node_instance(self, node_instance_id: str, version: int,
                             runtime_properties: Optional[Dict[str, Any]] = None,
                             system_properties: Optional[Dict[str, Any]] = None, state: Optional[str] = None,
                             relationships: Optional[List[Any]] = None, force: bool = False) -> Record:
        with self._locks.setdefault(node_instance_id, threading.RLock()):
            row = self._load_instance(node_instance_id)
            # A change of the state alone is the workflow's, which knows no version.
            if not force and runtime_properties is not None and row['version'] != version:
                raise StorageConflictError('Node instance {0} is of version {1}, the update is of {2}'.format(
                    node_instance_id, row['version'], version))
            for key, value in (('runtime_properties', runtime_properties), ('system_properties', system_properties),
                               ('state', state), ('relationships', relationships)):
                if value is not None:
                    row[key] = copy.deepcopy(value)
            row['version'] += 1
            self._store_instance(row)
            return Record(copy.deepcopy(row))

    def get_executions(self) -> List[Any]:
        return list(self._executions().values())

    def get_execution(self, execution_id: str) -> Any:
        return self._executions().get(execution_id)

    def _executions(self) -> Dict[str, Any]:
        return {}

    def get_workdir(self) -> str:
        raise NotImplementedError('This storage has no folder')


class InMemoryStorage(_Storage):
    """Gone with the process."""

    def __init__(self) -> None:
        super().__init__()
        self._node_rows: Dict[str, Any] = {}
        self._instance_rows: Dict[str, Any] = {}

    def _begin(self, nodes):
        self._node_rows = {row['id']: copy.deepcopy(row) for row in nodes}
        self._instance_rows = {}

    def _nodes(self):
        return self._node_rows

    def _instance_ids(self):
        return list(self._instance_rows)

    def _load_instance(self, node_instance_id):
        return copy.deepcopy(self._instance_rows[node_instance_id])

    def _store_instance(self, instance):
        self._instance_rows[instance['id']] = copy.deepcopy(instance)

    def exists(self, name):
        return self.name == name and bool(self._node_rows)


class FileStorage(_Storage):
    """A folder for each name."""

    def __init__(self, storage_dir: str = '/tmp/cloudify-workflows') -> None:
        super().__init__()
        self.root_storage_dir = storage_dir

    def _begin(self, nodes):
        os.makedirs(os.path.join(self._folder(), 'node-instances'), exist_ok=True)
        os.makedirs(self.get_workdir(), exist_ok=True)
        self._write('nodes.json', {row['id']: row for row in nodes})

    def _folder(self):
        return os.path.join(self.root_storage_dir, self.name or '')

    def _nodes(self):
        return self._read('nodes.json')

    def _instance_ids(self):
        return sorted(os.listdir(os.path.join(self._folder(), 'node-instances')))

    def _load_instance(self, node_instance_id):
        try:
            return self._read(os.path.join('node-instances', node_instance_id))
        except FileNotFoundError:
            raise KeyError(node_instance_id) from None

    def _store_instance(self, instance):
        self._write(os.path.join('node-instances', instance['id']), instance)

    def _read(self, name):
        with open(os.path.join(self._folder(), name), encoding='utf-8') as source:
            return json.load(source)

    def _write(self, name, content):
        place = os.path.join(self._folder(), name)
        handle, unfinished = tempfile.mkstemp(dir=self._folder())
        with os.fdopen(handle, 'w', encoding='utf-8') as target:
            json.dump(content, target)
        os.replace(unfinished, place)

    def exists(self, name):
        return os.path.isfile(os.path.join(self.root_storage_dir, name, 'nodes.json'))

    def get_workdir(self):
        return os.path.join(self._folder(), 'work')
