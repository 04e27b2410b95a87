"""Small plugins, written as real ones are, and their unit tests, written as theirs are."""
import copy
import sys
import threading
import unittest
from functools import wraps
from unittest import mock

from cloudify import ctx as ctx_from_cloudify
from cloudify import ctx, manager, utils
from cloudify.constants import NODE_INSTANCE, RELATIONSHIP_INSTANCE
from cloudify.decorators import operation
from cloudify.exceptions import HttpException, NonRecoverableError, OperationRetry, RecoverableError
from cloudify.manager import DirtyTrackingDict, get_rest_client
from cloudify.mocks import (
    MockCloudifyContext, MockContext, MockNodeContext, MockNodeInstanceContext, MockRelationshipContext,
    MockRelationshipSubjectContext)
from cloudify.state import ctx_parameters, current_ctx
from cloudify.test_utils import dispatch_helper
from cloudify.utils import exception_to_error_cause
from cloudify.workflows import ctx as wtx

# ---- a plugin of a cloud


def with_instance(function):
    """What plugins do before each of their operations: find the side they are for, and pass only known arguments."""
    @wraps(function)
    def wrapper(**kwargs):
        current = kwargs.pop('ctx', ctx_from_cloudify)
        if current.type == NODE_INSTANCE:
            instance, properties = current.instance, current.node.properties
        elif current.type == RELATIONSHIP_INSTANCE:
            instance, properties = current.source.instance, current.source.node.properties
            if current._context.get('related', {}) and current._context['related'].get('is_target'):
                properties = dict(properties, seen=True)
        else:
            raise NonRecoverableError('Not supported: {0}'.format(current.type))
        try:
            return function(instance=instance, config=copy.deepcopy(properties), ctx=current, **kwargs)
        except (NonRecoverableError, OperationRetry):
            raise
        except Exception as error:
            _, _, tb = sys.exc_info()
            raise NonRecoverableError('failed', causes=[exception_to_error_cause(error, tb)])
    return wrapper


@operation(resumable=True)
@with_instance
def create(ctx, instance, config, cloud=None, **_):
    if 'resource_id' not in instance.runtime_properties:
        instance.runtime_properties['resource_id'] = cloud.create(config)
        instance.update()
    if cloud.status(instance.runtime_properties['resource_id']) != 'ready':
        raise OperationRetry('Waiting for {0}'.format(ctx.instance.id), retry_after=15)
    instance.runtime_properties.setdefault('tags', {})['name'] = ctx.instance.id
    instance.runtime_properties._set_changed()


@operation
@with_instance
def attach(ctx, instance, config, **_):
    ctx.target.instance.runtime_properties.setdefault('attached', []).append(instance.id)
    ctx.target.instance.runtime_properties.dirty = True
    return config


@operation
def poll(ctx, **_):
    if ctx.operation.retry_number < 2:
        return ctx.operation.retry(message='again', retry_after=ctx.operation.retry_number + 1)
    return 'done'


# ---- one that renders and reads secrets


@operation
def apply(ctx, secret_name, template='t.yaml', **_):
    value = get_rest_client().secrets.get(secret_name).value
    try:
        text = ctx.get_resource_and_render(template, template_variables={'value': value, 'inputs': ctx_parameters})
    except HttpException as error:
        raise NonRecoverableError('{0}: {1}'.format(error.code, error.url))
    ctx.instance.runtime_properties.update({'applied': text.decode('utf-8')}, extra=1)
    ctx.instance.runtime_properties.pop('never there')


class PluginStyles(unittest.TestCase):
    def setUp(self):
        super().setUp()
        self.addCleanup(current_ctx.clear)

    def ctx(self, **fields):
        fields = dict({'node_id': 'vm_1', 'node_name': 'vm', 'deployment_id': 'd', 'operation': {'retry_number': 0},
                       'properties': {'size': 1}, 'runtime_properties': DirtyTrackingDict()}, **fields)
        made = MockCloudifyContext(**fields)
        current_ctx.set(made)
        return made

    def test_created_in_two_rounds(self):
        cloud = mock.Mock()
        cloud.create.return_value = 'r-1'
        cloud.status.side_effect = ['pending', 'ready']
        made = self.ctx()
        made.instance.update = mock.Mock()
        with self.assertRaises(OperationRetry) as raised:
            create(ctx=ctx, cloud=cloud)
        self.assertEqual((raised.exception.retry_after, str(raised.exception)), (15, 'Waiting for vm_1 [retry_after=15]'))
        create(cloud=cloud)
        self.assertEqual((cloud.create.call_count, made.instance.update.call_count), (1, 1))
        self.assertEqual(made.instance.runtime_properties, {'resource_id': 'r-1', 'tags': {'name': 'vm_1'}})
        self.assertTrue(made.instance.runtime_properties.dirty)
        self.assertTrue(create.resumable)
        cloud.status.side_effect = KeyError('x')
        with self.assertRaises(NonRecoverableError) as raised:
            create(ctx=made, cloud=cloud)
        self.assertEqual(raised.exception.causes[0]['type'], 'KeyError')

    def test_of_a_relationship(self):
        target = MockContext({'node': MockNodeContext('disk', {}),
                              'instance': MockNodeInstanceContext('disk_1', DirtyTrackingDict())})
        source = MockRelationshipSubjectContext(node=MockNodeContext('vm', {'size': 1}),
                                                instance=MockNodeInstanceContext('vm_1', {}))
        made = self.ctx(node_id=None, source=source, target=target)
        self.assertEqual(attach(ctx=made), {'size': 1})
        self.assertEqual(target.instance.runtime_properties, {'attached': ['vm_1']})
        self.assertTrue(target.instance.runtime_properties.dirty)
        made._context['related'] = {'is_target': True}
        self.assertEqual(attach(ctx=made), {'size': 1, 'seen': True})
        with self.assertRaisesRegex(NonRecoverableError, 'Not supported: deployment'):
            attach(ctx=MockCloudifyContext())

    def test_tried_again(self):
        made = self.ctx()
        self.assertIsNone(poll(ctx=made))
        self.assertEqual(str(made.operation._operation_retry), 'again [retry_after=1]')
        made._operation = mock.Mock(retry_number=2)
        self.assertEqual(poll(ctx=made), 'done')
        with self.assertRaises(OperationRetry):
            dispatch_helper.run(lambda ctx, **_: ctx.operation.retry('x', 1))

    def test_rendered(self):
        made = self.ctx(resources={'t.yaml': b'v: {{ value }}, i: {{ inputs.port }}, {{ ctx.instance.id }}'})
        current_ctx.set(made, {'port': 80})
        with mock.patch(__name__ + '.get_rest_client') as client:
            client.return_value.secrets.get.return_value.value = 's'
            apply(ctx=made, secret_name='k')
        self.assertEqual(made.instance.runtime_properties, {'applied': 'v: s, i: 80, vm_1', 'extra': 1})
        made.get_resource_and_render = mock.Mock(side_effect=HttpException('t.yaml', 404, 'gone'))
        with mock.patch(__name__ + '.get_rest_client'), self.assertRaisesRegex(NonRecoverableError, '^404: t.yaml$'):
            apply(ctx=made, secret_name='k')

    def test_related_instances(self):
        made = self.ctx(relationships=[
            MockRelationshipContext(MockRelationshipSubjectContext(
                MockNodeContext('net', {'id': 'n'}, 'cloud.Network'), MockNodeInstanceContext('net_1', {'ip': '10.0.0.1'})),
                type='cloudify.relationships.connected_to')])
        made.instance.relationships[0].target.node.type_hierarchy = ['cloudify.nodes.Root', 'cloud.Network']
        found = [one.target for one in ctx.instance.relationships
                 if 'cloud.Network' in one.target.node.type_hierarchy and 'connected' in one.type]
        self.assertEqual(found[0].instance.runtime_properties['ip'], '10.0.0.1')

    def test_threads_of_an_operation(self):
        made = self.ctx()
        failures = []

        def work(number):
            try:
                with current_ctx.push(made):
                    ctx.instance.runtime_properties[str(number)] = number
            except Exception as error:
                failures.append(error)
        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual((failures, len(made.instance.runtime_properties)), ([], 8))

    def test_patches_that_suites_make(self):
        made = self.ctx(tenant={'name': 't'}, rest_token='r')
        for target in ('cloudify.manager.get_rest_client', 'cloudify.utils.get_tenant_name', 'cloudify.ctx',
                       'cloudify.state.ctx', 'cloudify.context.CloudifyContext.download_resource',
                       'cloudify.utils.LocalCommandRunner', 'cloudify.utils.get_manager_ip',
                       'cloudify.manager.get_node_instance', 'cloudify.manager.update_node_instance',
                       'cloudify.mocks.MockCloudifyContext.get_resource', 'cloudify.workflows.ctx',
                       'cloudify.endpoint.LocalEndpoint.get_bootstrap_context',
                       'cloudify.endpoint.LocalEndpoint.get_host_node_instance_ip', 'script_runner.tasks.start_ctx_proxy',
                       'cloudify.context.BootstrapContext.CloudifyAgent', 'cloudify.utils.id_generator'):
            with self.subTest(target), mock.patch(target):
                pass
        with mock.patch.object(made.operation, 'retry') as retry:
            poll(ctx=made)
            retry.assert_called_once_with(message='again', retry_after=1)
        self.assertEqual(utils.get_tenant_name(), 't')
        self.assertTrue(callable(manager.get_rest_client))

    def test_modules_that_serve_workflows_too(self):
        """The shared SDK imports the workflow's ctx beside the operation's, and asks which of them there is."""
        def current():
            try:
                return wtx.deployment.id
            except RuntimeError:
                return ctx.deployment.id
        self.ctx()
        self.assertEqual(current(), 'd')
        self.assertFalse(wtx)
        self.assertTrue(ctx)

    def test_copies(self):
        made = self.ctx(runtime_properties=DirtyTrackingDict({'a': {'b': 1}}))
        copied = copy.deepcopy(made.instance.runtime_properties)
        copied['a']['b'] = 2
        self.assertEqual(made.instance.runtime_properties['a']['b'], 1)
        self.assertIsInstance(copy.deepcopy(MockContext({'a': 1})), MockContext)
        self.assertEqual(dict(made.instance.runtime_properties), {'a': {'b': 1}})
        self.assertIsInstance(copy.copy(made.node), MockNodeContext)

    def test_errors_that_plugins_make(self):
        for make in (lambda: RecoverableError('a', 5), lambda: RecoverableError(message='a', retry_after=5),
                     lambda: OperationRetry('a', 5, [{'type': 'x'}]), lambda: OperationRetry(retry_after=5)):
            self.assertEqual(make().retry_after, 5)
        self.assertEqual(str(NonRecoverableError('a {0}'.format(1))), 'a 1')
