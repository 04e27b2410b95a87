"""The smaller objects below `ctx` (docs/reference/python.md, "ctx")."""
import os
import sys

from cloudify.constants import AGENT_INSTALL_METHODS_SCRIPTS
from cloudify.exceptions import NonRecoverableError, OperationRetry


class Part:
    """A group of context fields: ctx.deployment, ctx.blueprint."""

    def __init__(self, **fields):
        self.__dict__.update(fields)


class PluginContext(str):
    """The plugin's name, with what is known of the plugin."""

    def __new__(cls, context):
        return super().__new__(cls, (context.get('plugin') or {}).get('name') or '')

    def __init__(self, context):
        plugin = context.get('plugin') or {}
        self.name = str(self)
        self.package_name = plugin.get('package_name')
        self.package_version = plugin.get('package_version')
        self.visibility = plugin.get('visibility')
        self.tenant_name = plugin.get('tenant_name')
        self.source = plugin.get('source')
        self.properties = plugin.get('properties') or {}
        self._context = context

    @property
    def prefix(self):
        """The folder that the plugin is installed in."""
        return os.environ.get('VIRTUAL_ENV') or sys.prefix

    @property
    def workdir(self):
        """A folder of this plugin and deployment on this machine, made at first use."""
        # Not in the temporary folder: somebody else could have made it there before us.
        root = os.environ.get('AGENT_WORK_DIR') or os.path.join(os.path.expanduser('~'), '.tutti-work')
        tenant = (self._context.get('tenant') or {}).get('name') or ''
        path = os.path.join(root, 'deployments', tenant, self._context.get('deployment_id') or '', 'plugins', self.name)
        os.makedirs(path, exist_ok=True)
        return path


class OperationContext:
    def __init__(self, context):
        operation = context.get('operation') or {}
        self.name = operation.get('name')
        self.retry_number = operation.get('retry_number')
        self.max_retries = operation.get('max_retries')
        self.relationship = operation.get('relationship')
        self._operation_retry = None

    def retry(self, message=None, retry_after=None):
        """Asks for the operation to be run again; it takes effect when the operation returns."""
        self._operation_retry = OperationRetry(message or '', retry_after=retry_after)


class BootstrapContext(dict):
    """The stored provider context's `cloudify` part."""

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)
        return self.get(name)


class Capabilities:
    def __init__(self, ctx):
        self._ctx = ctx

    def get_all(self):
        """{instance id: its runtime properties}"""
        return {one.target.instance.id: dict(one.target.instance.runtime_properties)
                for one in self._ctx.instance.relationships}

    def __getitem__(self, key):
        found = [properties[key] for properties in self.get_all().values() if key in properties]
        if not found:
            raise NonRecoverableError('No related instance has the capability "{0}"'.format(key))
        if len(found) > 1:
            raise NonRecoverableError('Several related instances have the capability "{0}": use get_all()'.format(key))
        return found[0]

    def __contains__(self, key):
        return any(key in properties for properties in self.get_all().values())


class AgentContext:
    def __init__(self, ctx):
        self._ctx = ctx

    def init_script(self, agent_config=None):
        """None unless the node's install method needs a script."""
        config = agent_config or self._ctx.node.properties.get('agent_config') or {}
        if config.get('install_method') not in AGENT_INSTALL_METHODS_SCRIPTS:
            return None
        raise NonRecoverableError('Agents are not built yet in this manager: set agent_config.install_method of node '
                                  '{0} to none'.format(self._ctx.node.id))

    def install_script_download_link(self, agent_config=None):
        raise NonRecoverableError('Agents are not built yet in this manager')
