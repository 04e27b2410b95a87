"""The smaller objects below `ctx` (docs/reference/python.md, "ctx")."""
import os
import sys
from contextlib import contextmanager
from typing import Any, Dict, Iterator, Optional

from cloudify.constants import AGENT_INSTALL_METHODS_SCRIPTS, COMPUTE_NODE_TYPE, NODE_INSTANCE
from cloudify.exceptions import NonRecoverableError, OperationRetry


def given(key: str, default: Any = None) -> Any:
    """A field of the context. It can be set too: tests change one field of a context that is else whole."""

    def read(self):
        value = self._context.get(key)
        return default() if value is None and callable(default) else default if value is None else value

    def write(self, value):
        self._context[key] = value

    return property(read, write, doc='`{0}` of the context.'.format(key))


class CommonContext:
    """Something that is told in the context's dictionary alone."""

    def __init__(self, context: Optional[Dict[str, Any]]) -> None:
        self._context = {} if context is None else context


class BlueprintContext(CommonContext):
    id = given('blueprint_id')


class DeploymentContext(CommonContext):
    id = given('deployment_id')
    display_name = given('deployment_display_name')
    creator = given('deployment_creator')
    resource_tags = given('deployment_resource_tags')
    runtime_only_evaluation = given('runtime_only_evaluation')

    @property
    def tenant_name(self) -> Optional[str]:
        return (self._context.get('tenant') or {}).get('name')


class OperationContext:
    """The operation and how often it was tried."""

    def __init__(self, operation_context: Optional[Dict[str, Any]]) -> None:
        self._operation_context = operation_context or {}  # plugins' tests put another one in its place
        self._operation_retry: Optional[OperationRetry] = None

    @property
    def _context(self) -> Dict[str, Any]:
        return self._operation_context

    name = given('name')
    retry_number = given('retry_number')
    max_retries = given('max_retries')
    relationship = given('relationship')

    def retry(self, message: Optional[str] = None, retry_after: Optional[float] = None) -> None:
        """Asks for the operation to be run again; it takes effect when the operation returns."""
        self._operation_retry = OperationRetry(message=message or '', retry_after=retry_after)


class PluginContext(str):
    """The plugin's name, with what is known of the plugin."""

    def __new__(cls, context: Dict[str, Any]) -> 'PluginContext':
        return super().__new__(cls, (context.get('plugin') or {}).get('name') or '')

    def __init__(self, context: Dict[str, Any]) -> None:
        plugin = context.get('plugin') or {}
        self.name = plugin.get('name')
        self.package_name = plugin.get('package_name')
        self.package_version = plugin.get('package_version')
        self.visibility = plugin.get('visibility')
        self.tenant_name = plugin.get('tenant_name')
        self.source = plugin.get('source')
        self.properties = plugin.get('properties') or {}
        self._context = context

    @property
    def prefix(self) -> str:
        """The folder that the plugin is installed in."""
        return os.environ.get('VIRTUAL_ENV') or sys.prefix

    @property
    def workdir(self) -> Optional[str]:
        """A folder of this plugin and deployment on this machine, made at first use. None without a plugin."""
        if not self.name:
            return None
        # Not in the temporary folder: somebody else could have made it there before us.
        root = os.environ.get('AGENT_WORK_DIR') or os.path.join(os.path.expanduser('~'), '.tutti-work')
        tenant = (self._context.get('tenant') or {}).get('name') or ''
        path = os.path.join(root, 'deployments', tenant, self._context.get('deployment_id') or '', 'plugins', self.name)
        os.makedirs(path, exist_ok=True)
        return path


class _Settings(dict):
    """A group of stored settings: one that is not there is None."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith('_'):
            raise AttributeError(name)
        return self.get(name)


class BootstrapContext:
    """The stored provider context's `cloudify` part."""

    class PolicyEngine(_Settings):
        """start_timeout"""

    class CloudifyAgent(_Settings):
        """min_workers, max_workers, user, remote_execution_port, agent_key_path, networks, cluster, broker_…"""

        def broker_config(self) -> Dict[str, Any]:
            """None of it leads anywhere: agents here ask for their operations over REST."""
            return {name: self.get(name) for name in (
                'broker_ip', 'broker_user', 'broker_pass', 'broker_vhost', 'broker_ssl_enabled', 'broker_ssl_cert')}

    def __init__(self, bootstrap_context: Optional[Dict[str, Any]]) -> None:
        self._bootstrap_context = bootstrap_context or {}
        self.policy_engine = self.PolicyEngine(self._bootstrap_context.get('policy_engine') or {})
        self.cloudify_agent = self.CloudifyAgent(self._bootstrap_context.get('cloudify_agent') or {})

    @property
    def resources_prefix(self) -> Optional[str]:
        return self._bootstrap_context.get('resources_prefix')

    def broker_config(self) -> Dict[str, Any]:
        return self.cloudify_agent.broker_config()


class ContextCapabilities:
    """Runtime properties of the instances that this one has relationships to. Deprecated in favour of those."""

    def __init__(self, endpoint: Any, instance: Any) -> None:
        self._endpoint = endpoint
        self.instance = instance

    def get_all(self) -> Dict[str, Dict[str, Any]]:
        """{instance id: its runtime properties}"""
        return {one.target.instance.id: dict(one.target.instance.runtime_properties)
                for one in self.instance.relationships}

    def __getitem__(self, key: str) -> Any:
        found = [properties[key] for properties in self.get_all().values() if key in properties]
        if not found:
            raise NonRecoverableError('No related instance has the capability "{0}"'.format(key))
        if len(found) > 1:
            raise NonRecoverableError('Several related instances have the capability "{0}": use get_all()'.format(key))
        return found[0]

    def __contains__(self, key: str) -> bool:
        return any(key in properties for properties in self.get_all().values())


class AgentContext:
    """What a plugin of a cloud needs to bring an agent onto the machine that it makes."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self.script_path: Optional[str] = None

    def init_script(self, agent_config: Optional[Dict[str, Any]] = None) -> Optional[str]:
        """None unless the node's install method needs a script."""
        self._verify_host()
        from cloudify.utils import internal
        properties = dict(self.context.node.properties)
        if agent_config:
            properties['agent_config'] = dict(properties.get('agent_config') or {}, **agent_config)
        if internal.get_install_method(properties) not in AGENT_INSTALL_METHODS_SCRIPTS:
            return None
        raise self._unavailable()

    @contextmanager
    def install_script_download_link(self, agent_config: Optional[Dict[str, Any]] = None,
                                     clean: bool = True) -> Iterator[str]:
        self._verify_host()
        raise self._unavailable()
        yield  # a context manager all the same: the error comes where `with` begins

    def clean_script(self) -> None:
        """Nothing: no script was made."""

    def _verify_host(self) -> None:
        ctx = self.context
        if ctx.type != NODE_INSTANCE or COMPUTE_NODE_TYPE not in (ctx.node.type_hierarchy or []):
            raise NonRecoverableError('ctx.agent is for operations of a node of a type derived from {0}'.format(
                COMPUTE_NODE_TYPE))

    def _unavailable(self) -> NonRecoverableError:
        return NonRecoverableError(
            'Agents are not built yet in this manager: set agent_config.install_method of node {0} to none, and let '
            'central_deployment_agent run its operations'.format(self.context.node.id))
