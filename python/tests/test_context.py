"""`ctx` over a manager, and what it stores: run in this process, as plugins' operations run in theirs."""
import logging
import os
import tempfile
from unittest import mock

from cloudify import constants, utils
from cloudify.context import CloudifyContext, NodeContext, NodeInstanceContext
from cloudify.exceptions import HttpException, NonRecoverableError
from cloudify.manager import (
    DirtyTrackingDict, NodeInstance, get_bootstrap_context, get_node_instance, get_node_instance_ip,
    get_provider_context, get_resource, get_resource_from_manager, get_rest_client, update_node_instance)
from cloudify.state import current_ctx
from cloudify_rest_client.exceptions import CloudifyClientError
from tests.operation import OperationCase, context

RELATED = {'node_id': 'db_1', 'node_name': 'db', 'is_target': True}


class ContextCase(OperationCase):
    def setUp(self):
        super().setUp()
        patched = mock.patch.dict(os.environ, self.manager.environment())
        patched.start()
        self.addCleanup(patched.stop)
        self.addCleanup(current_ctx.clear)

    def ctx(self, **fields):
        ctx = CloudifyContext(context(**fields))
        self.addCleanup(ctx.events.close)
        current_ctx.set(ctx)
        return ctx

    def requests(self, method=None):
        return [one[:2] for one in self.manager.requests if method in (None, one[0])]


class Context(ContextCase):
    def test_nothing_is_read_before_it_is_asked_for(self):
        ctx = self.ctx()
        self.assertEqual((ctx.type, ctx.instance.id, ctx.node.id, ctx.node.name), ('node-instance', 'web_1', 'web', 'web'))
        self.assertEqual(self.requests(), [])
        self.assertEqual(ctx.node.properties['port'], 8080)
        self.assertEqual(ctx.node.type_hierarchy, ['cloudify.nodes.Root', 'test.Node'])
        self.assertEqual(self.requests(), [('GET', '/api/v3.1/nodes')])
        self.assertIsNone(ctx.instance._node_instance)
        self.assertIsInstance(ctx.node, NodeContext)
        self.assertIsInstance(ctx.instance, NodeInstanceContext)

    def test_what_json_does_not_have_is_refused_by_name(self):
        for value in (float('nan'), [float('inf')]):
            ctx = self.ctx()
            ctx.instance.runtime_properties['ratio'] = value
            with self.assertRaisesRegex(NonRecoverableError, 'web_1 hold what JSON does not have'):
                ctx.instance.update()
        self.assertEqual(self.requests('PATCH'), [])

    def test_anything_may_be_an_argument_of_an_event(self):
        ctx = self.ctx()
        ctx._endpoint.send_plugin_event(message='m', args={'ratio': float('nan'), 'kind': ValueError, 'n': 1})
        ctx.events.flush()
        arguments = self.manager.events[-1]['message']['arguments']
        self.assertEqual((arguments['ratio'], arguments['n']), ('NaN', 1))

    def test_kinds(self):
        ctx = self.ctx(related=RELATED)
        self.assertEqual((ctx.type, ctx.source.instance.id, ctx.target.node.id), ('relationship-instance', 'web_1', 'db'))
        self.assertEqual(ctx.target._context, {'node_id': 'db_1', 'node_name': 'db'})
        self.assertIs(ctx._context['related']['is_target'], True)
        ctx = self.ctx(related=dict(RELATED, is_target=False))
        self.assertEqual((ctx.source.instance.id, ctx.target.instance.id), ('db_1', 'web_1'))
        for name in ('node', 'instance', 'capabilities'):
            with self.assertRaisesRegex(NonRecoverableError, 'ctx.source, ctx.target'):
                getattr(ctx, name)
        ctx = self.ctx(node_id=None)
        self.assertEqual(ctx.type, constants.DEPLOYMENT)
        with self.assertRaises(NonRecoverableError):
            ctx.node

    def test_fields(self):
        ctx = self.ctx(deployment_display_name='D', deployment_creator='me', deployment_resource_tags={'a': 1})
        self.assertEqual((ctx.task_id, ctx.execution_id, ctx.workflow_id, ctx.blueprint.id, ctx.task_type),
                         ('t', 'e', 'install', 'b', 'operation'))
        deployment = ctx.deployment
        self.assertEqual((deployment.id, deployment.display_name, deployment.creator, deployment.resource_tags,
                          deployment.tenant_name), ('d', 'D', 'me', {'a': 1}, 'default_tenant'))
        self.assertEqual((ctx.execution_env, ctx.workflow_parameters, ctx.resume, ctx.bypass_maintenance,
                          ctx.timeout_recoverable), ({}, {}, False, False, False))
        ctx.resume = True
        self.assertTrue(ctx._context['resume'])
        self.assertEqual((ctx.plugin, ctx.plugin.name, ctx.plugin.properties), ('script', 'script', {}))
        self.assertIsNone(self.ctx(plugin={}).plugin.workdir)
        self.assertIsNone(ctx._return_value)
        self.assertFalse(ctx.is_script_exception_defined)
        self.assertEqual((ctx.operation.name, ctx.operation.retry_number, ctx.operation.max_retries),
                         ('cloudify.interfaces.lifecycle.create', 0, 3))

    def test_of_little(self):
        ctx = CloudifyContext({'node_id': 'x'})
        self.assertEqual((ctx.type, ctx.instance.id, ctx.node.id, ctx.tenant, ctx.tenant_name),
                         ('node-instance', 'x', None, {}, None))
        self.assertEqual(CloudifyContext().type, 'deployment')

    def test_properties_are_read_only(self):
        properties = self.ctx().node.properties
        for change in (lambda: properties.update(a=1), lambda: properties.pop('port'), properties.clear,
                       properties.popitem, lambda: properties.__setitem__('a', 1), lambda: properties.__delitem__('port')):
            with self.assertRaisesRegex(NonRecoverableError, 'Cannot override read only properties'):
                change()
        self.assertEqual(dict(properties)['port'], 8080)
        # As with runtime properties, plugins fill in what is absent: for themselves, as nobody stores it.
        self.assertEqual((properties.setdefault('port', 1), properties.setdefault('absent', 2)), (8080, 2))

    def test_update_writes_only_changes_and_forgets(self):
        ctx = self.ctx()
        ctx.instance.update()
        ctx.instance.runtime_properties['a'] = 1
        self.assertTrue(ctx.instance.runtime_properties.dirty)
        self.assertTrue(ctx.instance._node_instance.dirty)
        ctx.instance.update()
        self.assertFalse(ctx.instance._node_instance.dirty)
        self.assertEqual(len(self.requests('PATCH')), 1)
        self.manager.instances['web_1']['runtime_properties'] = {'theirs': 1}
        self.assertEqual(ctx.instance.runtime_properties, {'theirs': 1})
        ctx.instance.runtime_properties = {'whole': 1}
        ctx.instance.update()
        self.assertEqual(self.runtime_properties(), {'whole': 1})
        self.assertIs(ctx.instance._get_node_instance_if_needed(), ctx.instance._node_instance)

    def test_a_conflict_is_the_clients_error(self):
        ctx = self.ctx()
        ctx.instance.runtime_properties['a'] = 1
        self.manager.instances['web_1']['version'] = 9
        with self.assertRaises(CloudifyClientError) as raised:
            ctx.instance.update()
        self.assertEqual(raised.exception.status_code, 409)
        with self.assertRaisesRegex(NonRecoverableError, 'dirty'):
            ctx.instance.refresh()
        ctx.instance.refresh(force=True)
        self.assertEqual(ctx.instance.runtime_properties, {})
        ctx.instance.runtime_properties['b'] = 2
        self.manager.instances['web_1'].update(version=20, runtime_properties={'theirs': 1})
        ctx.instance.update(on_conflict=lambda local, latest: dict(latest, **local))
        self.assertEqual(self.runtime_properties(), {'theirs': 1, 'b': 2})

    def test_relationships(self):
        self.manager.add('db_1', 'db', {'ip': '10.0.0.2'}, {'port': 1}, host_id='db_1')
        self.manager.instances['web_1']['relationships'] = [
            {'type': 'connected', 'target_id': 'db_1', 'target_name': 'db'}]
        self.manager.nodes['web']['relationships'] = [{'type': 'connected', 'type_hierarchy': ['a', 'connected']}]
        one, = self.ctx().instance.relationships
        self.assertEqual((one.type, one.type_hierarchy, one.target.node.id, one.target.instance.id),
                         ('connected', ['a', 'connected'], 'db', 'db_1'))
        self.assertEqual((one.target.instance.runtime_properties['port'], one.target.instance.host_ip), (1, '10.0.0.2'))
        for change in (lambda: one.target.instance.runtime_properties.update({'a': 1}),
                       one.target.instance.runtime_properties._set_changed,
                       lambda: one.target.instance.runtime_properties.pop('none')):
            with self.assertRaisesRegex(NonRecoverableError, 'Cannot modify runtime properties of relationship'):
                change()

    def test_scaling_groups_and_hosts(self):
        self.manager.instances['web_1'].update(scaling_groups=[{'id': 'g_1', 'name': 'g'}], host_id='web_1', index=4,
                                               runtime_properties={'ip': '10.0.0.1'})
        instance = self.ctx().instance
        self.assertEqual((instance.scaling_groups, instance.host_ip, instance.index), ({'g_1': 'g'}, '10.0.0.1', 4))
        self.manager.instances['web_1']['host_id'] = None
        with self.assertRaises(NonRecoverableError):
            self.ctx().instance.host_ip

    def test_resources_are_bytes(self):
        self.manager.files['blueprints/default_tenant/b/t.txt'] = b'a {{ x }} {{ ctx.instance.id }}'
        self.manager.blueprints['b'] = {'tenant_name': 'default_tenant'}
        ctx = self.ctx()
        self.assertEqual(ctx.get_resource('t.txt').split(b' ')[0], b'a')
        self.assertEqual(ctx.get_resource_and_render('t.txt', {'x': 1}), b'a 1 web_1')
        with self.assertRaises(NonRecoverableError):
            ctx.get_resource_and_render('t.txt', {'ctx': 1})
        path = ctx.download_resource_and_render('t.txt', template_variables={'x': 2})
        self.assertEqual(os.path.basename(path), 't.txt')
        with open(path) as source:
            self.assertEqual(source.read(), 'a 2 web_1')
        with tempfile.TemporaryDirectory() as folder:
            target = os.path.join(folder, 'x')
            self.assertEqual(ctx.download_resource('t.txt', target_path=target), target)
            self.assertEqual(ctx.download_resource_and_render('t.txt', target, {'x': 1}), target)
        with self.assertRaises(HttpException) as raised:
            ctx.get_resource('none.txt')
        error = raised.exception
        self.assertEqual((error.code, error.url, str(error)[:5]), (404, 'none.txt', '404 ('))
        self.assertIn('blueprints/default_tenant/b/none.txt', str(error))
        self.assertEqual(get_resource('b', None, 'default_tenant', 't.txt')[:1], b'a')
        self.assertEqual(get_resource_from_manager('blueprints/default_tenant/b/t.txt')[:1], b'a')
        with self.assertRaises(HttpException):
            get_resource_from_manager('no', base_urls=[self.manager.environment()['MANAGER_FILE_SERVER_URL']] * 2)

    def test_directories(self):
        self.manager.blueprints['b'] = {'tenant_name': 'default_tenant'}
        root = 'blueprints/default_tenant/b/dir/'
        self.manager.files.update({root: b'{"a.txt": {}, "deep/b.txt": {}}', root + 'a.txt': b'a', root + 'deep/b.txt': b'b'})
        copied = self.ctx().download_directory('dir')
        with open(os.path.join(copied, 'deep', 'b.txt')) as source:
            self.assertEqual(source.read(), 'b')
        self.manager.files[root] = b'{"files": ["../../etc/x"]}'
        with self.assertRaisesRegex(NonRecoverableError, 'outside'):
            self.ctx().download_directory('dir')

    def test_the_managers_records(self):
        self.manager.answers.update({
            '/provider/context': {'context': {'cloudify': {'cloudify_agent': {'user': 'u'}, 'resources_prefix': 'p'}}},
            '/config': {'items': [{'name': 'task_retries', 'value': 5, 'scope': 'workflow'}]},
            '/config/workflow.task_retries': {'name': 'task_retries', 'value': 5},
            '/managers': {'items': [{'hostname': 'm', 'networks': {'default': '1'}}]},
            '/tenants/default_tenant': {'name': 'default_tenant', 'rabbitmq_vhost': 'v'},
            '/executions/e': {'id': 'e', 'status': 'started'}, '/operations/t': {'id': 't', 'state': 'started'}})
        ctx = self.ctx()
        agent = ctx.bootstrap_context.cloudify_agent
        self.assertEqual((agent.user, agent.agent_key_path, ctx.bootstrap_context.resources_prefix,
                          ctx.bootstrap_context.policy_engine.start_timeout), ('u', None, 'p', None))
        self.assertIn('broker_ip', agent.broker_config())
        self.assertEqual((ctx.get_config(scope='workflow')[0].value,
                          ctx.get_config(name='task_retries', scope='workflow').value), (5, 5))
        self.assertEqual((ctx.get_managers()[0].hostname, ctx.get_execution().status, ctx.get_operation().state),
                         ('m', 'started', 'started'))
        self.assertEqual(ctx.tenant['rabbitmq_vhost'], 'v')
        self.assertEqual((utils.get_tenant()['name'], utils.get_tenant_name()), ('default_tenant',) * 2)
        self.assertEqual(get_provider_context()['cloudify']['resources_prefix'], 'p')
        self.assertEqual(get_bootstrap_context()['workflows'], {'task_retries': 5})
        self.assertEqual(self.ctx(tenant={'name': 'unknown'}).tenant, {'name': 'unknown'})

    def test_logs_say_where_they_come_from(self):
        self.manager.add('db_1', 'db')
        ctx = self.ctx(related=RELATED)
        ctx.logger.info('hello %s', 'world')
        ctx.send_event('something')
        ctx.events.flush()
        log = self.manager.logs[-1]
        self.assertEqual((log['message']['text'], log['logger'], log['level']), ('hello world', 'ctx.t', 'info'))
        self.assertEqual({key: log['context'][key] for key in ('source_id', 'source_name', 'target_id', 'target_name')},
                         {'source_id': 'web_1', 'source_name': 'web', 'target_id': 'db_1', 'target_name': 'db'})
        self.assertNotIn('node_id', log['context'])
        self.assertEqual(self.manager.events[-1]['event_type'], 'plugin_event')
        self.assertIs(ctx.logger, logging.getLogger('ctx.t'))

    def test_other_loggers_may_write_there(self):
        from cloudify.logs import CloudifyCtxLoggingHandler, init_cloudify_logger
        ctx = self.ctx()
        library = logging.getLogger('some.library')
        library.setLevel(logging.INFO)
        handler = CloudifyCtxLoggingHandler(ctx)
        library.addHandler(handler)
        self.addCleanup(library.removeHandler, handler)
        library.info('from %s', 'a library')
        ctx.events.flush()
        self.assertIn('from a library', self.manager.texts())
        said = []
        other = logging.StreamHandler()
        other.emit = lambda record: said.append(other.format(record))
        logger = init_cloudify_logger(other, 'name')
        init_cloudify_logger(other, 'name').debug('text %d', 1)
        self.assertEqual((logger.name, said, logger.handlers), ('ctx.name', ['text 1'], [other]))

    def test_agents(self):
        self.manager.nodes['web']['type_hierarchy'] = ['cloudify.nodes.Compute']
        self.assertIsNone(self.ctx().agent.init_script())
        with self.assertRaisesRegex(NonRecoverableError, 'install_method of node web to none'):
            self.ctx().agent.init_script({'install_method': 'init_script'})
        with self.assertRaises(NonRecoverableError):
            with self.ctx().agent.install_script_download_link({'install_method': 'init_script'}):
                pass
        self.manager.nodes['web']['type_hierarchy'] = []
        with self.assertRaisesRegex(NonRecoverableError, 'cloudify.nodes.Compute'):
            self.ctx().agent.init_script()

    def test_endpoints(self):
        endpoint = self.ctx()._endpoint
        instance = endpoint.get_node_instance('web_1')
        instance.runtime_properties['x'] = 1
        endpoint.update_node_instance(instance)
        self.assertEqual(self.runtime_properties(), {'x': 1})
        self.assertEqual(endpoint.get_node('web')['properties']['port'], 8080)
        self.assertEqual(endpoint.get_host_node_instance_ip('h', runtime_properties={'ip': 1}), 1)
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, AGENT_WORK_DIR=folder):
            self.assertEqual(endpoint.get_workdir(), folder)
            os.makedirs(os.path.join(folder, 'deployments', 'default_tenant'))
            self.assertEqual(endpoint.get_workdir(), os.path.join(folder, 'deployments', 'default_tenant', 'd'))


class Manager(ContextCase):
    def test_node_instances(self):
        self.ctx()
        one = get_node_instance('web_1')
        self.assertNotIn('_evaluate_functions', self.manager.requests[-1][2])
        get_node_instance('web_1', evaluate_functions=True)
        self.assertIn('_evaluate_functions', self.manager.requests[-1][2])
        self.assertEqual((one.id, one.node_id, one.state, one.version, one.host_id, one.relationships, one.index),
                         ('web_1', 'web', 'creating', 1, None, [], 1))
        one.put('a', 1)
        one.state = 'x'
        self.assertEqual((one['a'], one.get('a'), one.get('b'), 'a' in one, one.dirty), (1, 1, None, True, True))
        update_node_instance(one)
        self.assertEqual((one.version, one.dirty, self.runtime_properties()), (2, False, {'a': 1}))
        one.delete('a')
        one.version = 0
        with self.assertRaises(CloudifyClientError):
            update_node_instance(one)
        client = mock.Mock()
        client.node_instances.get.return_value = {'id': 'x', 'node_id': 'y'}
        client.node_instances.update.return_value = {'version': 7}
        other = get_node_instance('x', client=client)
        update_node_instance(other, client=client)
        self.assertEqual(other.version, 7)
        client.node_instances.update.assert_called_once_with('x', version=None, state=None, runtime_properties={})
        self.assertEqual(NodeInstance('i', 'n', {'a': 1}).runtime_properties, {'a': 1})

    def test_addresses_of_instances(self):
        client = mock.Mock()
        rows = {'app': {'id': 'app', 'host_id': 'vm'}, 'free': {'id': 'free', 'host_id': None},
                'vm': {'id': 'vm', 'host_id': 'vm', 'node_id': 'n', 'deployment_id': 'd', 'runtime_properties': {}}}
        client.node_instances.get.side_effect = rows.get
        client.nodes.get.return_value = {'properties': {'ip': '10.0.0.9'}}
        self.assertEqual(get_node_instance_ip('app', client=client), '10.0.0.9')
        with self.assertRaises(NonRecoverableError):
            get_node_instance_ip('free', client=client)

    def test_the_executions_token_comes_first(self):
        self.ctx()
        get_rest_client(tenant='other', api_token='mine').node_instances.get('web_1')
        headers = self.manager.requests[-1][3]
        self.assertEqual((headers['Execution-Token'], headers['Tenant'], headers.get('Authentication-Token')),
                         ('secret', 'other', None))
        self.ctx(execution_token=None, rest_token='rest')
        get_rest_client(api_token='mine').node_instances.get('web_1')
        self.assertEqual(self.manager.requests[-1][3]['Authentication-Token'], 'mine')
        get_rest_client().node_instances.get('web_1')
        self.assertEqual(self.manager.requests[-1][3]['Authentication-Token'], 'rest')
        current_ctx.clear()
        with self.assertRaises(RuntimeError):
            get_rest_client()

    def test_another_tenant_for_a_while(self):
        ctx = self.ctx()
        with utils.internal._change_tenant(ctx, 'other'):
            get_rest_client().node_instances.get('web_1')
            self.assertEqual(self.manager.requests[-1][3]['Tenant'], 'other')
        get_rest_client().node_instances.get('web_1')
        self.assertEqual((self.manager.requests[-1][3]['Tenant'], ctx.tenant_name), ('default_tenant',) * 2)

    def test_dirty(self):
        for change, expected in [
                (lambda d: d.__setitem__('b', 1), True), (lambda d: d.__delitem__('a'), True),
                (lambda d: d.update({'b': 1}), True), (lambda d: d.update(b=1), True), (lambda d: d.clear(), True),
                (lambda d: d.pop('a'), True), (lambda d: d.popitem(), True), (lambda d: d._set_changed(), True),
                (lambda d: d.setdefault('b', 1), False), (lambda d: d['a'].append(1), False),
                (lambda d: d.get('a'), False)]:
            one = DirtyTrackingDict({'a': []})
            change(one)
            self.assertEqual(one.dirty, expected)
        one = DirtyTrackingDict({'a': 1})
        self.assertEqual((one.pop('none'), one.pop('none', 5), one.pop('a')), (None, 5, 1))
        import copy
        again = copy.deepcopy(DirtyTrackingDict({'a': [1]}))
        self.assertEqual((type(again), again, again.dirty), (DirtyTrackingDict, {'a': [1]}, False))
        self.assertTrue(copy.copy(one).dirty)


class Folder(ContextCase):
    def test_the_deployments_folder(self):
        with tempfile.TemporaryDirectory() as root:
            ctx = self.ctx()
            with mock.patch.dict(os.environ, CFY_RESOURCES_ROOT=root, MANAGER_FILE_SERVER_ROOT=root):
                folder = ctx.local_deployment_workdir()
                self.assertEqual(folder, os.path.join(root, 'deployments', 'default_tenant', 'd'))
                ctx.download_deployment_workdir()
                ctx.upload_deployment_workdir()
                with ctx.sync_deployment_workdir():
                    pass
                ctx.upload_deployment_file('x/y.py', __file__)
                self.assertTrue(os.path.isfile(os.path.join(folder, 'x', 'y.py')))
                ctx.delete_deployment_file('x/y.py')
                self.assertFalse(os.path.exists(os.path.join(folder, 'x', 'y.py')))
                with self.assertRaisesRegex(NonRecoverableError, 'not in the folder'):
                    ctx.upload_deployment_file('../z', __file__)
                self.assertIsNone(self.ctx(deployment_id=None).local_deployment_workdir())
            with mock.patch.dict(os.environ, CFY_RESOURCES_ROOT=root, MANAGER_FILE_SERVER_ROOT='/elsewhere'), \
                    mock.patch('cloudify.manager.get_rest_client') as client:
                ctx.upload_deployment_file('x', 'y')
                ctx.download_deployment_workdir()
                with ctx.sync_deployment_workdir():
                    pass
                resources = client.return_value.resources
                resources.upload_deployment_file.assert_called_once_with('d', 'x', 'y', None)
                resources.download_deployment_workdir.assert_called_once_with('d', folder)
            with mock.patch.dict(os.environ):
                os.environ.pop('CFY_RESOURCES_ROOT', None)
                with self.assertRaisesRegex(NonRecoverableError, 'CFY_RESOURCES_ROOT'):
                    ctx.local_deployment_workdir()
