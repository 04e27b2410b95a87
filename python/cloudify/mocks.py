"""`ctx` for the unit tests of plugins, without a manager (docs/reference/python.md, "Mocks")."""
from typing import Any, Dict, List, Optional

from cloudify.constants import DEPLOYMENT, NODE_INSTANCE, RELATIONSHIP_INSTANCE
from cloudify.context import BootstrapContext, CloudifyContext, ContextCapabilities
from cloudify.node import NodeContext, NodeInstanceContext, RelationshipContext, RelationshipSubjectContext
from cloudify.records import Record


class MockNodeInstanceContext:
    _stands_for = NodeInstanceContext

    def __init__(self, id: Optional[str] = None, runtime_properties: Optional[Dict[str, Any]] = None,
                 relationships: Optional[List[Any]] = None, index: Optional[int] = None) -> None:
        self._id = id
        # The object itself, so that a test sees what the operation does to it, whatever class it is of.
        self._runtime_properties = {} if runtime_properties is None else runtime_properties
        self._relationships = [] if relationships is None else relationships
        self._index = 0 if index is None else index

    @property
    def id(self) -> Optional[str]:
        return self._id

    @property
    def runtime_properties(self) -> Dict[str, Any]:
        return self._runtime_properties

    @property
    def relationships(self) -> List[Any]:
        return self._relationships

    @property
    def index(self) -> int:
        return self._index

    def update(self, on_conflict: Any = None) -> None:
        """Nothing: what a test looks at is what the operation changed."""


class MockNodeContext:
    _stands_for = NodeContext

    def __init__(self, id: Optional[str] = None, properties: Optional[Dict[str, Any]] = None,
                 type: Optional[str] = None) -> None:
        self._id = id
        self._properties = {} if properties is None else properties
        self._type = type

    @property
    def id(self) -> Optional[str]:
        return self._id

    @property
    def name(self) -> Optional[str]:
        return self._id

    @property
    def properties(self) -> Dict[str, Any]:
        return self._properties

    @property
    def type(self) -> Optional[str]:
        return self._type


class MockContext(dict):
    """A dict whose items are attributes too."""

    def __init__(self, values: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(values or {})

    def __getattr__(self, name: str) -> Any:
        if name.startswith('__'):
            raise AttributeError(name)  # copy and pickle ask for such names, and take only this for no
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        if hasattr(dict, name):
            super().__setattr__(name, value)  # `instance.update = Mock()`
        else:
            self[name] = value


class MockRelationshipContext:
    _stands_for = RelationshipContext

    def __init__(self, target: Any, type: Optional[str] = None) -> None:
        self._target = target
        self._type = type

    @property
    def target(self) -> Any:
        return self._target

    @property
    def type(self) -> Optional[str]:
        return self._type


class MockRelationshipSubjectContext:
    _stands_for = RelationshipSubjectContext

    def __init__(self, node: Any, instance: Any) -> None:
        self._node = node
        self._instance = instance

    @property
    def node(self) -> Any:
        return self._node

    @property
    def instance(self) -> Any:
        return self._instance


class MockCloudifyContext(CloudifyContext):
    """A context of what a test gives it, and of nothing else. Its private attributes may be replaced: `_node`,
    `_instance`, `_source`, `_target`, `_operation`, `_execution_id`, `_resources`, `_runtime_properties`."""

    def __init__(self, node_id: Optional[str] = None, node_name: Optional[str] = None,
                 node_type: Optional[str] = None, blueprint_id: Optional[str] = None,
                 deployment_id: Optional[str] = None, execution_id: Optional[str] = None,
                 properties: Optional[Dict[str, Any]] = None, runtime_properties: Optional[Dict[str, Any]] = None,
                 relationships: Optional[List[Any]] = None, capabilities: Optional[ContextCapabilities] = None,
                 related: Optional[Dict[str, Any]] = None, source: Any = None, target: Any = None,
                 operation: Optional[Dict[str, Any]] = None, resources: Optional[Dict[str, Any]] = None,
                 tenant: Optional[Dict[str, Any]] = None, rest_token: Optional[str] = None,
                 provider_context: Optional[Dict[str, Any]] = None,
                 bootstrap_context: Optional[BootstrapContext] = None, config: Optional[List[Any]] = None,
                 brokers: Optional[List[Any]] = None, managers: Optional[List[Any]] = None,
                 index: Optional[int] = None) -> None:
        if capabilities is not None and not isinstance(capabilities, ContextCapabilities):
            raise ValueError('MockCloudifyContext(capabilities=…) must be of cloudify.context.ContextCapabilities, not '
                             'of {0}'.format(type(capabilities).__name__))
        super().__init__({
            'blueprint_id': blueprint_id, 'deployment_id': deployment_id, 'node_id': node_id, 'node_name': node_name,
            'node_properties': properties, 'operation': operation, 'rest_token': rest_token, 'tenant': tenant or {},
            'execution_id': execution_id, 'related': related})
        self._node_id = node_id
        self._node_name = node_name
        self._deployment_id = deployment_id
        self._execution_id = execution_id
        self._properties = {} if properties is None else properties
        self._runtime_properties = {} if runtime_properties is None else runtime_properties
        self._resources = {} if resources is None else resources
        self._tenant = {} if tenant is None else tenant
        self._capabilities = capabilities
        self._provider_context = {} if provider_context is None else provider_context
        self._bootstrap_context = BootstrapContext({}) if bootstrap_context is None else bootstrap_context
        self._config = [] if config is None else config
        self._managers = managers
        self._brokers = brokers
        self._find_mocks(node_type, relationships, source, target, index)

    def _find_entities(self) -> None:
        """Nothing: what the context's dictionary names is not read from a manager."""

    def _find_mocks(self, node_type, relationships, source, target, index):
        if self._node_id:
            self._node = MockNodeContext(self._node_name, self._properties, node_type)
            self._instance = MockNodeInstanceContext(
                id=self._node_id, runtime_properties=self._runtime_properties, relationships=relationships,
                index=index)
        if source is None and target is not None:
            source = MockContext({'node': None, 'instance': None})
        if source is not None or target is not None:
            self._source, self._target = source, target
        if self._source is not None or self._target is not None or self._context['related'] is not None:
            self.type = RELATIONSHIP_INSTANCE
        else:
            self.type = NODE_INSTANCE if self._node_id else DEPLOYMENT

    # ---- as given

    @property
    def execution_id(self) -> Optional[str]:  # type: ignore[override]
        return self._execution_id

    @execution_id.setter
    def execution_id(self, value: Optional[str]) -> None:
        self._execution_id = value

    @property
    def tenant(self) -> Dict[str, Any]:
        return self._tenant or {}

    @property
    def capabilities(self) -> ContextCapabilities:
        return self._capabilities or super().capabilities

    @property
    def logger(self) -> Any:
        if self._logger is None:
            from cloudify.utils import setup_logger
            self._logger = setup_logger('mock-context-logger')
        return self._logger

    def send_event(self, event: Any) -> None:
        self.logger.info('Event: %s', event)

    def instances(self) -> List[Any]:
        return [one for one in (self._instance, getattr(self._source, 'instance', None),
                                getattr(self._target, 'instance', None)) if one is not None]

    # ---- files

    def get_resource(self, resource_path: str) -> Any:
        if resource_path not in self._resources:
            raise RuntimeError('Resource {0} was not given to MockCloudifyContext(resources=…)'.format(resource_path))
        return self._resources[resource_path]

    def download_resource(self, resource_path: str, target_path: Optional[str] = None) -> Any:
        """What `resources` says of the path, which is the path of a file as a rule."""
        if target_path:
            raise RuntimeError('MockCloudifyContext.download_resource gives what `resources` says of the path: it '
                               'does not take target_path ({0})'.format(target_path))
        return self.get_resource(resource_path)

    def upload_deployment_file(self, target_file_path: str, src_file: str, src_file_mtime: Any = None) -> None:
        """Nothing."""

    def delete_deployment_file(self, file_path: str) -> None:
        """Nothing."""

    # ---- the manager's records

    def get_config(self, scope: Optional[str] = None, name: Optional[str] = None) -> Any:  # type: ignore[override]
        return self._config

    def get_managers(self, network: str = 'default') -> List[Any]:
        return self._one_member(self._managers)

    def get_brokers(self, network: str = 'default') -> List[Any]:
        return self._one_member(self._brokers)

    @staticmethod
    def _one_member(given: Optional[List[Any]]) -> List[Any]:
        return given if given is not None else [Record(networks={'default': 'localhost'})]

    # ---- properties and runtime properties in one, as scripts of the first version had them

    def __contains__(self, key: Any) -> bool:
        return key in self._properties or key in self._runtime_properties

    def __getitem__(self, key: Any) -> Any:
        return self._properties[key] if key in self._properties else self._runtime_properties[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        self._runtime_properties[key] = value
