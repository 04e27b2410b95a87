"""`ctx` of an operation (docs/reference/python.md, "ctx")."""
import os
import shutil
from contextlib import contextmanager

from cloudify.constants import DEPLOYMENT, NODE_INSTANCE, RELATIONSHIP_INSTANCE
from cloudify.context_parts import AgentContext, BootstrapContext, Capabilities, OperationContext, Part, PluginContext
from cloudify.exceptions import NonRecoverableError
from cloudify.logs import EventSink, make_logger
from cloudify.manager import Manager
from cloudify.node import EntityContext
from cloudify.resources import Resources


def _given(key):
    return property(lambda self: self._context.get(key), doc='`{0}` of the context.'.format(key))


class CloudifyContext:
    task_id = _given('task_id')
    task_name = _given('task_name')
    task_target = _given('task_target')
    task_queue = _given('task_queue')
    task_type = _given('type')
    execution_id = _given('execution_id')
    execution_token = _given('execution_token')
    execution_creator_username = _given('execution_creator_username')
    workflow_id = _given('workflow_id')
    rest_host = _given('rest_host')
    rest_port = _given('rest_port')
    rest_token = _given('rest_token')
    timeout = _given('timeout')
    timeout_recoverable = _given('timeout_recoverable')

    def __init__(self, context: dict, folder=None):
        self._context = context
        self._folder = folder  # the worker removes it when the operation ends, however it ends
        self._manager = Manager(context)
        self._resources = Resources(self._manager, context)
        self._logger = None
        self._provider_context = None
        self.type, self._entities = self._find_entities()
        self.events = EventSink(self._connect_for_events, {'execution_id': context.get('execution_id'),
                                                           'manager_name': os.environ.get('MANAGER_NAME'),
                                                           'agent_name': os.environ.get('AGENT_NAME')})
        self.operation = OperationContext(context)
        self.plugin = PluginContext(context)
        self.deployment = Part(
            id=context.get('deployment_id'), display_name=context.get('deployment_display_name'),
            creator=context.get('deployment_creator'), tenant_name=self.tenant_name,
            resource_tags=context.get('deployment_resource_tags'),
            runtime_only_evaluation=context.get('runtime_only_evaluation'))
        self.blueprint = Part(id=context.get('blueprint_id'))
        self.agent = AgentContext(self)

    # ---- who and where

    @property
    def execution_env(self):
        return self._context.get('execution_env') or {}

    @property
    def workflow_parameters(self):
        return self._context.get('workflow_parameters') or {}

    @property
    def tenant(self):
        return self._context.get('tenant') or {}

    @property
    def tenant_name(self):
        return self.tenant.get('name')

    @property
    def bypass_maintenance(self):
        return bool(self._context.get('bypass_maintenance'))

    @property
    def resume(self):
        return bool(self._context.get('resume'))

    @property
    def rest_ssl_cert(self):
        return os.environ.get('LOCAL_REST_CERT_FILE')

    # ---- entities

    @property
    def node(self):
        return self._entity('self', 'node').node

    @property
    def instance(self):
        return self._entity('self', 'instance').instance

    @property
    def source(self):
        return self._entity('source', 'source')

    @property
    def target(self):
        return self._entity('target', 'target')

    @property
    def capabilities(self):
        """Deprecated: runtime properties of the instances that this one has relationships to."""
        return Capabilities(self)

    def instances(self):
        """Every instance whose runtime properties this operation may change."""
        return [entity.instance for entity in self._entities.values()]

    # ---- saying

    @property
    def logger(self):
        if self._logger is None:
            self._logger = make_logger('ctx.{0}'.format(self.task_id), self.events, self._event_context())
        return self._logger

    def send_event(self, event):
        """Sends an event of type plugin_event."""
        self.events.event('plugin_event', str(event), self._event_context())

    # ---- files

    def get_resource(self, resource_path):
        return _text_if_possible(self._resources.get(resource_path))

    def get_resource_and_render(self, resource_path, template_variables=None):
        return _text_if_possible(self._resources.render(resource_path, template_variables, self))

    def download_resource(self, resource_path, target_path=None):
        return self._resources.download(resource_path, target_path)

    def download_resource_and_render(self, resource_path, target_path=None, template_variables=None):
        content = self._resources.render(resource_path, template_variables, self)
        return self._resources.download(resource_path, target_path, content)

    def download_directory(self, resource_path, target_path=None):
        return self._resources.download_directory(resource_path, target_path)

    # ---- the manager's records

    @property
    def provider_context(self):
        if self._provider_context is None:
            self._provider_context = self._manager.call('GET', '/provider/context').get('context') or {}
        return self._provider_context

    @property
    def bootstrap_context(self):
        return BootstrapContext(self.provider_context.get('cloudify') or {})

    def get_config(self, name=None, scope=None):
        """Configuration entries of the manager: those of a scope, or one by name."""
        if name:
            path = '/config/{0}'.format('{0}.{1}'.format(scope, name) if scope else name)
            return self._manager.call('GET', path)
        return self._manager.call('GET', '/config', {'scope': scope} if scope else None).get('items', [])

    def get_operation(self):
        return self._manager.call('GET', '/operations/' + self.task_id)

    def update_operation(self, state):
        self._manager.call('PATCH', '/operations/' + self.task_id, body={'state': state})

    def get_execution(self, execution_id=None):
        return self._manager.call('GET', '/executions/' + (execution_id or self.execution_id))

    def get_managers(self, network='default'):
        return self._manager.call('GET', '/managers')['items']

    def get_brokers(self, network='default'):
        return self._manager.call('GET', '/brokers')['items']

    # ---- the folder of the deployment, which the worker fetches before the operation and stores after it

    def local_deployment_workdir(self):
        if not self.deployment.id:
            return None
        root = os.environ.get('CFY_RESOURCES_ROOT')
        if not root:
            raise NonRecoverableError('CFY_RESOURCES_ROOT is not set: this worker keeps no folders of deployments')
        return os.path.join(root, 'deployments', self.tenant_name, self.deployment.id)

    def download_deployment_workdir(self):
        """Nothing to do: it is there."""

    def upload_deployment_workdir(self):
        """Nothing to do: the worker stores it."""

    @contextmanager
    def sync_deployment_workdir(self):
        yield

    def upload_deployment_file(self, target_file_path, src_file, src_file_mtime=None):
        target = self._in_workdir(target_file_path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not (os.path.exists(target) and os.path.samefile(src_file, target)):
            shutil.copy2(src_file, target)

    def delete_deployment_file(self, file_path):
        target = self._in_workdir(file_path)
        if os.path.lexists(target):
            os.remove(target)

    def _in_workdir(self, path):
        folder = os.path.realpath(self.local_deployment_workdir())
        target = os.path.realpath(os.path.join(folder, path))
        if not target.startswith(folder + os.sep):
            raise NonRecoverableError('{0} is not in the folder of the deployment'.format(path))
        return target

    # ---- inside

    def _find_entities(self):
        context, related = self._context, self._context.get('related')
        if not context.get('node_id'):
            return DEPLOYMENT, {}
        own = self._make_entity(context['node_name'], context['node_id'])
        if not related:
            return NODE_INSTANCE, {'self': own}
        other = self._make_entity(related['node_name'], related['node_id'])
        source, target = (own, other) if related.get('is_target') else (other, own)
        return RELATIONSHIP_INSTANCE, {'source': source, 'target': target}

    def _make_entity(self, node_name, instance_id):
        return EntityContext(self._manager, self._context.get('deployment_id'), node_name, instance_id)

    def _entity(self, key, asked):
        if key not in self._entities:
            has = ', '.join('ctx.' + name for name in (['node', 'instance'] if 'self' in self._entities
                                                       else sorted(self._entities))) or 'none of its kind'
            raise NonRecoverableError('ctx.{0} does not exist in a {1} operation, which has {2}'.format(
                asked, self.type, has))
        return self._entities[key]

    def _event_context(self):
        context = {'operation': self.operation.name, 'node_id': self._context.get('node_id'),
                   'source_id': None, 'target_id': None}
        if 'source' in self._entities:
            context.update(source_id=self.source.instance.id, target_id=self.target.instance.id)
        return context

    def _connect_for_events(self):
        connection = self._manager.connection()
        connection.open_now()
        return connection


class ResourceText(str):
    """A resource as text. Scripts written for SDKs that answered bytes call decode() on it; that gives the text."""

    def decode(self, *_, **__):
        return str(self)


def _text_if_possible(content):
    try:
        return ResourceText(content.decode('utf-8'))
    except UnicodeDecodeError:
        return content
