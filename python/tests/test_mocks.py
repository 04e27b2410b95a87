"""The mocks, used as the tests of real plugins use them."""
import os
import tempfile
import unittest
from unittest import mock

from cloudify import ctx
from cloudify.constants import DEPLOYMENT, NODE_INSTANCE, RELATIONSHIP_INSTANCE
from cloudify.context import BootstrapContext, CloudifyContext, ContextCapabilities
from cloudify.exceptions import NonRecoverableError, OperationRetry
from cloudify.manager import DirtyTrackingDict
from cloudify.mocks import (
    MockCloudifyContext, MockContext, MockNodeContext, MockNodeInstanceContext, MockRelationshipContext,
    MockRelationshipSubjectContext)
from cloudify.proxy.server import process_ctx_request
from cloudify.state import current_ctx
from script_runner import tasks


class Mocks(unittest.TestCase):
    def setUp(self):
        self.addCleanup(current_ctx.clear)

    def test_a_node_instance(self):
        runtime = DirtyTrackingDict({'a': 1})
        one = MockCloudifyContext(node_id='web_1', node_name='web', node_type='cloudify.nodes.Compute',
                                  deployment_id='d', blueprint_id='b', execution_id='e', properties={'port': 80},
                                  runtime_properties=runtime, index=3, operation={'name': 'create', 'retry_number': 0},
                                  tenant={'name': 't'}, rest_token='token')
        self.assertIsInstance(one, CloudifyContext)
        self.assertEqual(one.type, NODE_INSTANCE)
        self.assertIs(one.instance.runtime_properties, runtime)
        self.assertEqual((one.instance.id, one.instance.index, one.instance.relationships), ('web_1', 3, []))
        self.assertEqual((one.node.id, one.node.name, one.node.type, one.node.properties),
                         ('web', 'web', 'cloudify.nodes.Compute', {'port': 80}))
        self.assertEqual((one.deployment.id, one.blueprint.id, one.execution_id, one.tenant_name, one.rest_token),
                         ('d', 'b', 'e', 't', 'token'))
        self.assertEqual((one.operation.name, one.operation.retry_number), ('create', 0))
        self.assertEqual(one._context['node_id'], 'web_1')
        self.assertEqual(one.deployment._context['deployment_id'], 'd')
        one.instance.update()
        one.instance.update(on_conflict=None)
        for name in ('source', 'target'):
            with self.assertRaises(NonRecoverableError):
                getattr(one, name)
        with self.assertRaises(AttributeError):
            one.instance.runtime_properties = {}
        with self.assertRaises(AttributeError):
            one.node.type_hierarchy
        one.node.type_hierarchy = ['a']
        self.assertEqual(one.node.type_hierarchy, ['a'])

    def test_dirty_is_seen(self):
        runtime = DirtyTrackingDict({'a': {'b': 1}})
        current_ctx.set(MockCloudifyContext(node_id='a', runtime_properties=runtime))
        ctx.instance.runtime_properties['a']['b'] = 2
        self.assertFalse(ctx.instance.runtime_properties.dirty)
        ctx.instance.runtime_properties._set_changed()
        self.assertTrue(runtime.dirty)

    def test_empty(self):
        one = MockCloudifyContext()
        self.assertEqual((one.type, one.tenant, one.provider_context), (DEPLOYMENT, {}, {}))
        self.assertIsInstance(one.bootstrap_context, BootstrapContext)
        self.assertIsNone(one.bootstrap_context.cloudify_agent.user)
        self.assertIsNone(one.operation.retry_number)
        self.assertIsNone(one.tenant_name)
        for name in ('node', 'instance', 'source', 'target'):
            with self.assertRaises(NonRecoverableError):
                getattr(one, name)
        self.assertEqual(one.logger.name, 'mock-context-logger')
        self.assertEqual((one.get_config(), MockCloudifyContext(config=[1]).get_config(scope='s')), ([], [1]))
        self.assertEqual(one.get_managers()[0].networks, {'default': 'localhost'})
        self.assertEqual(one.get_brokers()[0]['networks']['default'], 'localhost')
        self.assertEqual(MockCloudifyContext(managers=['m']).get_managers(), ['m'])
        one.upload_deployment_file('a', 'b')
        one.delete_deployment_file('a')
        one.send_event('something')

    def test_relationships(self):
        target = MockRelationshipSubjectContext(
            MockNodeContext('db', {'port': 1}, 'T'), MockNodeInstanceContext('db_1', {'ip': '10.0.0.1'}))
        source = MockContext({'node': MockNodeContext('web'), 'instance': MockNodeInstanceContext('web_1')})
        one = MockCloudifyContext(source=source, target=target)
        self.assertEqual(one.type, RELATIONSHIP_INSTANCE)
        self.assertEqual((one.source.instance.id, one.target.instance.runtime_properties['ip']), ('web_1', '10.0.0.1'))
        self.assertEqual(one.target.node.properties['port'], 1)
        with self.assertRaises(NonRecoverableError):
            one.instance
        alone = MockCloudifyContext(target=target)
        self.assertEqual((alone.source.node, alone.source.instance, alone.type), (None, None, RELATIONSHIP_INSTANCE))
        own = MockCloudifyContext(node_id='web_1', relationships=[MockRelationshipContext(target, 'connected_to')])
        self.assertEqual([(one.type, one.target.instance.id) for one in own.instance.relationships],
                         [('connected_to', 'db_1')])
        self.assertIsNone(MockRelationshipContext(target).type)

    def test_related(self):
        one = MockCloudifyContext(node_id='a', node_name='n', related={'is_target': True})
        self.assertEqual((one.type, one._context['related'], one.node.id, one.instance.id),
                         (RELATIONSHIP_INSTANCE, {'is_target': True}, 'n', 'a'))

    def test_nested_contexts(self):
        one = MockCloudifyContext(
            node_id='a', source=MockContext({'instance': MockContext({'id': 's', 'runtime_properties': {}})}),
            target=MockContext())
        one.source.instance.runtime_properties['x'] = 1
        self.assertEqual(one.source.instance.runtime_properties, {'x': 1})
        self.assertEqual(one.instance.id, 'a')
        with self.assertRaises(KeyError):
            one.target.node
        one.target.node = 'n'
        self.assertEqual(one.target['node'], 'n')
        one.source.instance.update = mock.Mock()
        one.source.instance.update('now')
        one.source.instance.update.assert_called_once_with('now')
        self.assertEqual(set(one.source.instance), {'id', 'runtime_properties'})

    def test_resources(self):
        one = MockCloudifyContext(resources={'a.txt': b'text', 'b': '/path/b'})
        self.assertEqual((one.get_resource('a.txt'), one.download_resource('b')), (b'text', '/path/b'))
        for call in (lambda: one.get_resource('c'), lambda: one.download_resource('c'),
                     lambda: one.download_resource('b', target_path='/tmp/x')):
            with self.assertRaises(RuntimeError):
                call()
        one._resources = {'c': 1}
        self.assertEqual(one.get_resource('c'), 1)
        self.assertEqual(MockCloudifyContext(resources={'t': b'{{ a }}'}).get_resource_and_render('t', {'a': 1}), b'1')

    def test_capabilities_are_of_their_class(self):
        with self.assertRaises(ValueError):
            MockCloudifyContext(capabilities={})
        target = MockContext({'instance': MockNodeInstanceContext('db_1', {'ip': 1})})
        capabilities = ContextCapabilities(None, MockNodeInstanceContext('a', relationships=[
            MockRelationshipContext(target)]))
        one = MockCloudifyContext(capabilities=capabilities)
        self.assertEqual((one.capabilities['ip'], 'ip' in one.capabilities, one.capabilities.get_all()),
                         (1, True, {'db_1': {'ip': 1}}))
        own = MockCloudifyContext(node_id='a', relationships=[MockRelationshipContext(target)])
        self.assertEqual((own.capabilities['ip'], own.capabilities.get_all()), (1, {'db_1': {'ip': 1}}))

    def test_items(self):
        one = MockCloudifyContext(node_id='a', properties={'p': 1}, runtime_properties={'r': 2, 'p': 3})
        self.assertEqual((one['p'], one['r'], 'p' in one, 'r' in one, 'x' in one), (1, 2, True, True, False))
        one['new'] = 4
        self.assertEqual(one.instance.runtime_properties['new'], 4)
        with self.assertRaises(KeyError):
            one['x']

    def test_private_attributes_are_what_is_shown(self):
        one = MockCloudifyContext(node_id='a', node_name='n')
        one._node, one._instance = MockNodeContext('other'), MockNodeInstanceContext('other_1')
        one._execution_id = 'x'
        one._operation = mock.Mock(retry_number=7)
        one.node._type, one.instance._id = 'T', 'i'
        one.instance._runtime_properties, one.instance._relationships = {'r': 1}, ['rel']
        self.assertEqual((one.node.id, one.node.type, one.instance.id, one.execution_id, one.operation.retry_number,
                          one.instance.runtime_properties, one.instance.relationships),
                         ('other', 'T', 'i', 'x', 7, {'r': 1}, ['rel']))
        one._source = one._target = MockContext({'instance': 1})
        self.assertEqual(one.target.instance, 1)
        one._return_value = 5

    def test_retry_is_remembered(self):
        one = MockCloudifyContext(operation={'retry_number': 1})
        self.assertIsNone(one.operation.retry(message='later', retry_after=5))
        self.assertIsInstance(one.operation._operation_retry, OperationRetry)
        self.assertEqual(one.operation._operation_retry.retry_after, 5)
        one.operation._operation_context['name'] = 'n'
        self.assertEqual(one.operation.name, 'n')
        one.operation._operation_context = {'name': 'other', 'retry_number': 3}
        self.assertEqual((one.operation.name, one.operation.retry_number), ('other', 3))

    def test_scripts_reach_a_mock_as_they_reach_the_real_one(self):
        one = MockCloudifyContext(node_id='a', node_name='n', properties={'p': {'q': [1, 2]}}, runtime_properties={})
        self.assertEqual(process_ctx_request(one, ["node", "properties", "p.q[1]"]), 2)

    def test_the_script_operation_takes_a_file_of_the_test(self):
        with tempfile.NamedTemporaryFile('w', suffix='.py') as script:
            script.write('from cloudify import ctx\nctx.returns(ctx.node.properties["p"])')
            script.flush()
            one = MockCloudifyContext(node_id='a', properties={'p': 1}, resources={'scripts/a.py': script.name})
            with current_ctx.push(one):
                self.assertEqual(tasks.run(script_path='scripts/a.py', ctx=one), 1)
            with mock.patch.object(one, 'download_resource', return_value=script.name), current_ctx.push(one):
                self.assertEqual(tasks.run(script_path='elsewhere.py', ctx=one), 1)
            self.assertTrue(os.path.exists(script.name))

    def test_patched_as_plugins_patch(self):
        current_ctx.set(MockCloudifyContext(node_id='a'))
        with mock.patch('cloudify.manager.get_rest_client') as client:
            from cloudify import manager
            client.return_value.secrets.get.return_value = {'value': 's'}
            self.assertEqual(manager.get_rest_client().secrets.get('k')['value'], 's')
        with mock.patch('cloudify.context.CloudifyContext.tenant_name', new_callable=mock.PropertyMock,
                        return_value='patched'):
            self.assertEqual(ctx.tenant_name, 'patched')
        with mock.patch('cloudify.utils.LocalCommandRunner.run', return_value='ran'):
            from cloudify.utils import LocalCommandRunner
            self.assertEqual(LocalCommandRunner().run('x'), 'ran')
