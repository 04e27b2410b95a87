"""Workflow contexts: over a storage in memory, where everything runs in this process, and over a manager."""
import contextlib
import io
import tempfile
import unittest

from cloudify import ctx as current
from cloudify.decorators import operation
from cloudify.exceptions import NonRecoverableError, WorkflowFailed
from cloudify.plugins import lifecycle
from cloudify.plugins import workflows as builtin
from cloudify.test_utils import dispatch_helper, workflow_test
from cloudify.workflows import ctx as workflow_ctx
from cloudify.workflows import local, tasks
from cloudify.workflows.workflow_context import CloudifyWorkflowContext
from cloudify.state import current_workflow_ctx
from tests.operation import OperationCase

HERE = 'tests.test_workflow_local.'
LIFECYCLE = 'cloudify.interfaces.lifecycle.'
RELATIONSHIPS = 'cloudify.interfaces.relationship_lifecycle.'
ran = []


@operation
def note(ctx, **inputs):
    ran.append((ctx.instance.id, ctx.operation.name.rpartition('.')[2], inputs))
    ctx.instance.runtime_properties['seen'] = ctx.node.properties['name']
    ctx.logger.info('noted')


@operation
def connect(**_):
    ran.append((current.source.instance.id, current.target.instance.id, current.operation.relationship))
    current.target.instance.runtime_properties['connected'] = True


@operation
def fail(**_):
    raise NonRecoverableError('no way')


def node(name, operations, relationships=(), host=None, **fields):
    return dict({
        'id': name, 'type': 'test.Node', 'type_hierarchy': ['cloudify.nodes.Root', 'test.Node'],
        'properties': {'name': name}, 'plugins': [{'name': 'p', 'package_name': 'pp'}], 'host_id': host,
        'operations': {key: {'plugin': 'p', 'operation': value, 'inputs': {'a': 1}, 'max_retries': 0}
                       for key, value in operations.items()}, 'relationships': list(relationships)}, **fields)


class LocalCase(unittest.TestCase):
    def setUp(self):
        del ran[:]
        self.storage = local.InMemoryStorage()
        related = {'target_id': 'db', 'type': 'connected', 'type_hierarchy': ['depends', 'connected'], 'properties': {},
                   'source_operations': {RELATIONSHIPS + 'establish': {'plugin': 'p', 'operation': HERE + 'connect'}},
                   'target_operations': {RELATIONSHIPS + 'establish': {'plugin': 'p', 'operation': HERE + 'connect'}}}
        self.storage.init('n', {'scaling_groups': {'g': {}}}, [
            node('web', {LIFECYCLE + 'create': HERE + 'note', LIFECYCLE + 'start': HERE + 'note',
                         'custom.fails': HERE + 'fail'}, [related]),
            node('db', {LIFECYCLE + 'create': HERE + 'note', LIFECYCLE + 'delete': HERE + 'note'}),
        ], [{'id': 'web_1', 'node_id': 'web', 'index': 1, 'relationships': [
            {'type': 'connected', 'target_id': 'db_1', 'target_name': 'db'}]},
            {'id': 'db_1', 'node_id': 'db', 'index': 1}])
        self.ctx = CloudifyWorkflowContext({
            'local': True, 'storage': self.storage, 'workflow_id': 'install', 'execution_id': 'e', 'wait_after_fail': 1,
            'deployment_id': 'd', 'task_retries': 0})
        self.addCleanup(self.ctx.internal.stop_local_tasks)
        output = contextlib.redirect_stdout(io.StringIO())
        self.output = output.__enter__()
        self.addCleanup(output.__exit__, None, None, None)


class Local(LocalCase):
    def test_what_a_workflow_sees(self):
        ctx = self.ctx
        web, db = ctx.get_node_instance('web_1'), ctx.get_node_instance('db_1')
        self.assertEqual(({one.id for one in ctx.nodes}, {one.id for one in ctx.node_instances}),
                         ({'web', 'db'}, {'web_1', 'db_1'}))
        self.assertIsNone(ctx.get_node('none'))
        self.assertIsNone(ctx.get_node_instance('none'))
        self.assertEqual((web.node_id, web.node.id, web.state, web.version, web.modification),
                         ('web', 'web', 'uninitialized', 0, None))
        self.assertEqual([one.id for one in web.node.instances], ['web_1'])
        self.assertTrue(web.node.has_operation(LIFECYCLE + 'create'))
        self.assertFalse(web.node.has_operation('x'))
        relationship = next(web.relationships)
        self.assertEqual((relationship.target_id, relationship.source_id, relationship.target_node_instance,
                          relationship.relationship.target_node.id), ('db_1', 'web_1', db, 'db'))
        self.assertTrue(relationship.relationship.is_derived_from('depends'))
        self.assertEqual(web._node_instance['index'], 1)
        self.assertEqual(len({web, ctx.get_node_instance('web_1')}), 1)
        self.assertEqual(ctx.deployment.scaling_groups, {'g': {}})
        before = web
        ctx.refresh_node_instances()
        self.assertIsNot(ctx.get_node_instance('web_1'), before)
        self.assertEqual(ctx.get_node_instance('web_1'), before)

    def test_tasks_at_once(self):
        web = self.ctx.get_node_instance('web_1')
        web.execute_operation(LIFECYCLE + 'create', kwargs={'b': 2}).get()
        self.assertEqual(ran, [('web_1', 'create', {'a': 1, 'b': 2})])
        self.assertEqual(self.storage.get_node_instance('web_1').runtime_properties, {'seen': 'web'})
        self.assertIn('noted', self.output.getvalue())
        web.set_state('x').get()
        self.assertEqual((web.get_state().get(), web.state), ('x', 'x'))
        self.assertIsInstance(web.execute_operation('not.implemented').task, tasks.NOPLocalWorkflowTask)
        with self.assertRaisesRegex(NonRecoverableError, 'no way'):
            web.execute_operation('custom.fails').get()
        self.ctx.update_node_instance('web_1', runtime_properties={'a': 1}, version=web.version, force=True)
        self.assertEqual(web.runtime_properties, {'a': 1})

    def test_inputs_are_checked(self):
        web = self.ctx.get_node_instance('web_1')
        with self.assertRaisesRegex(RuntimeError, 'Duplicate definition of a'):
            web.execute_operation(LIFECYCLE + 'create', kwargs={'a': 2})
        web.execute_operation(LIFECYCLE + 'create', kwargs={'a': 2}, allow_kwargs_override=True).get()
        self.assertEqual(ran[-1][2], {'a': 2})
        web.node.operations[LIFECYCLE + 'create']['inputs_types'] = {'a': {'type': 'string'}}
        with self.assertRaisesRegex(RuntimeError, 'must be of type string'):
            web.execute_operation(LIFECYCLE + 'create')
        web.node.operations[LIFECYCLE + 'create']['plugin'] = 'other'
        with self.assertRaisesRegex(RuntimeError, 'no plugin "other"'):
            web.execute_operation(LIFECYCLE + 'create')

    def test_installed_and_uninstalled(self):
        lifecycle.install_node_instances(self.ctx.graph_mode(), set(self.ctx.node_instances))
        self.assertEqual([one[:2] for one in ran[:3]], [('db_1', 'create'), ('web_1', 'create'), ('web_1', 'start')])
        self.assertEqual(sorted(ran[3:]), [('web_1', 'db_1', 'source'), ('web_1', 'db_1', 'target')])
        self.assertEqual({one.state for one in self.storage.get_node_instances()}, {'started'})
        self.assertTrue(self.storage.get_node_instance('db_1').runtime_properties['connected'])
        self.assertIn('Node instance started', self.output.getvalue())
        del ran[:]
        self.ctx.refresh_node_instances()
        graph = self.ctx.internal.task_graph
        lifecycle.uninstall_node_instances(graph=graph, node_instances={self.ctx.get_node_instance('db_1')},
                                           ignore_failure=True, related_nodes={self.ctx.get_node_instance('web_1')})
        self.assertEqual([one[:2] for one in ran], [('db_1', 'delete')])
        self.assertEqual(self.storage.get_node_instance('db_1').state, 'deleted')
        self.assertEqual(self.storage.get_node_instance('web_1').state, 'started')

    def test_a_failing_install(self):
        self.ctx.get_node('db').operations[LIFECYCLE + 'create']['operation'] = HERE + 'fail'
        with self.assertRaisesRegex(WorkflowFailed, r'no way'):
            lifecycle.install_node_instances(self.ctx.graph_mode(), set(self.ctx.node_instances))
        self.assertEqual(ran, [])

    def test_failures_that_are_told_and_ignored(self):
        graph, web = self.ctx.graph_mode(), self.ctx.get_node_instance('web_1')
        task = web.execute_operation('custom.fails')
        lifecycle.set_send_node_event_on_error_handler(task, web)
        graph.sequence().add(task, web.execute_operation(LIFECYCLE + 'create'))
        graph.execute()
        self.assertIn('Ignoring task {0}fail failure'.format(HERE), self.output.getvalue())
        self.assertEqual(len(ran), 1)
        self.assertEqual(task.dump()['parameters']['on_failure']['node_instance_id'], 'web_1')

    def test_in_a_workflow_function(self):
        with current_workflow_ctx.push(self.ctx, {'p': 1}):
            self.assertEqual({one.id for one in workflow_ctx.nodes}, {'web', 'db'})
            from cloudify.workflows import parameters
            self.assertEqual(parameters.p, 1)
        self.assertEqual(self.ctx.local_task(lambda: workflow_ctx.execution_id).get(), 'e')


class Storages(unittest.TestCase):
    def test_both(self):
        with tempfile.TemporaryDirectory() as folder:
            for storage in (local.InMemoryStorage(), local.FileStorage(folder)):
                with self.subTest(storage):
                    self.assertIsNone(local.load_env('n', storage))
                    storage.init('n', {}, [{'id': 'a', 'properties': {}}], [{'id': 'a_1', 'node_id': 'a'}])
                    self.assertEqual([one.id for one in storage.get_nodes()], ['a'])
                    self.assertEqual(storage.get_node('a').id, 'a')
                    with self.assertRaises(KeyError):
                        storage.get_node_instance('none')
                    self.assertEqual(storage.get_node_instances('b'), [])
                    row = storage.update_node_instance('a_1', 0, runtime_properties={'x': 1}, state='s')
                    self.assertEqual((row.version, row.state), (1, 's'))
                    with self.assertRaises(local.StorageConflictError):
                        storage.update_node_instance('a_1', 0, runtime_properties={})
                    storage.update_node_instance('a_1', 0, runtime_properties={'y': 2}, force=True)
                    self.assertEqual(storage.get_node_instances()[0].runtime_properties, {'y': 2})
                    self.assertEqual((storage.get_executions(), storage.get_execution('x')), ([], None))
                    with self.assertRaisesRegex(NonRecoverableError, 'not built yet'):
                        local.load_env('n', storage)


class Elsewhere(unittest.TestCase):
    def test_what_needs_the_engine_says_what_to_use(self):
        remote = CloudifyWorkflowContext({'workflow_id': 'w'})
        remote._bootstrap_context = {}
        graph = remote.graph_mode()
        for call in (lambda: local.init_env('b.yaml'), lambda: builtin.install(ctx=remote),
                     lambda: builtin.execute_operation(remote, 'o', {}, True, False, [], [], []),
                     lambda: builtin.scale_entity(remote, 'x', 1, False), lambda: builtin.scale(remote, 'x', 1, False),
                     lambda: builtin.auto_heal_reinstall_node_subgraph(remote, 'x'),
                     lambda: lifecycle.heal_node_instances(graph, set()),
                     lambda: lifecycle.LifecycleProcessor(graph).rollback()):
            with self.assertRaisesRegex(NonRecoverableError, '(not built yet.*|without one): '):
                call()

    @workflow_test(__file__, inputs={'a': 1}, resources_to_copy=[__file__, (__file__, 'deep')])
    def decorated(self, env):
        raise AssertionError('there is no environment')

    def test_the_decorator_of_workflow_tests(self):
        with self.assertRaisesRegex(NonRecoverableError, 'MockCloudifyContext'):
            self.decorated()

    def test_a_function_as_an_operation(self):
        def add(ctx, a, b):
            return (a + b, ctx.type, current.task_id is not None)
        given = {'x': []}
        self.assertEqual(dispatch_helper.run(add, a=1, b=2), (3, 'deployment', True))
        self.assertIsNone(dispatch_helper.run(lambda ctx, g: g['x'].append(1), g=given))
        self.assertEqual(given, {'x': []})
        with self.assertRaisesRegex(Exception, 'later'):
            dispatch_helper.run(lambda ctx: ctx.operation.retry('later'))


class Remote(OperationCase):
    def test_nodes_of_the_manager(self):
        import os
        from unittest import mock
        self.manager.add('db_1', 'db')
        with mock.patch.dict(os.environ, self.manager.environment()):
            ctx = CloudifyWorkflowContext({'workflow_id': 'install', 'execution_id': 'e', 'deployment_id': 'd',
                                           'execution_token': 'secret', 'tenant': {'name': 't'}})
            self.assertEqual({one.id for one in ctx.node_instances}, {'web_1', 'db_1'})
            ctx.update_node_instance('web_1', version=1, runtime_properties={'a': 1})
        self.assertEqual(self.runtime_properties(), {'a': 1})
        self.assertEqual(ctx.get_node_instance('web_1').version, 2)
        self.assertTrue(ctx.tenant_name)
        with self.assertRaises(AttributeError):
            ctx.nothing_of_this_name
        self.assertTrue(callable(ctx.get_secret))
