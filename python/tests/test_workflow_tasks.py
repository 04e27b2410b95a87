import threading
import time
import unittest

from cloudify.exceptions import NonRecoverableError, OperationRetry, RecoverableError, WorkflowFailed
from cloudify.workflows import api, tasks
from cloudify.workflows.handlers import deserialize_handler, serialize_handler
from cloudify.workflows.tasks import HandlerResult
from cloudify.workflows.tasks_graph import SubgraphTask, TaskDependencyGraph, forkjoin, make_or_get_graph
from cloudify.workflows.workflow_context import CloudifyWorkflowContext, task_config


def a_handler(task):
    return HandlerResult.ignore()


class AHandler:
    def __init__(self, name):
        self.name = name

    def dump(self):
        return {'name': self.name}

    def __call__(self, task):
        return HandlerResult.cont()


class Base(unittest.TestCase):
    def setUp(self):
        self.ctx = CloudifyWorkflowContext({'workflow_id': 'w', 'execution_id': 'e', 'wait_after_fail': 0.5})
        self.ctx._bootstrap_context = {}
        self.addCleanup(self.ctx.internal.stop_local_tasks)
        self.addCleanup(setattr, api, 'cancel_request', False)
        self.addCleanup(setattr, api, 'kill_request', False)

    def local(self, function, **options):
        options = dict({'total_retries': 0, 'retry_interval': 0}, **options)
        return tasks.LocalWorkflowTask(function, self.ctx, **options)

    def ended(self, error=None, **options):
        task = self.local(lambda: None, **options)
        task.set_state(tasks.TASK_SUCCEEDED if error is None else tasks.TASK_FAILED, exception=error)
        return task


class Tasks(Base):
    def test_states(self):
        task = self.local(lambda: None)
        self.assertEqual(task.get_state(), 'pending')
        with self.assertRaisesRegex(RuntimeError, 'Illegal state'):
            task.set_state('dancing')
        with self.assertRaises(RuntimeError):
            task.async_result.result
        task.set_state(tasks.TASK_SUCCEEDED, 5)
        task.set_state(tasks.TASK_FAILED)
        self.assertEqual((task.get_state(), task.is_terminated, task.async_result.get()), ('succeeded', True, 5))
        with self.assertRaises(RuntimeError):
            task.async_result.result = 6

    def test_results_may_be_replaced(self):
        result = tasks.WorkflowTaskResult(self.local(lambda: None))
        result.on_result(lambda value, add: value + add, 2)
        result.on_result(lambda value: None)
        result.result = 1
        self.assertEqual(result.result, 3)
        result.on_result(lambda value: value * 2)
        self.assertEqual(result.get(), 6)

    def test_identity(self):
        one = tasks.NOPLocalWorkflowTask(self.ctx, task_id='x')
        self.assertEqual(one, 'x')
        self.assertEqual(one, tasks.NOPLocalWorkflowTask(self.ctx, task_id='x'))
        self.assertIn(one, {'x': 1})
        self.assertTrue(one.is_nop() and one.is_local() and not one.is_remote() and not one.is_subgraph)
        self.assertEqual((one.name, one.task_type), ('NOP', 'NOPLocalWorkflowTask'))

    def test_answers(self):
        self.assertEqual([make().action for make in (HandlerResult.retry, HandlerResult.fail, HandlerResult.cont,
                                                     HandlerResult.ignore)],
                         ['handler_retry', 'handler_fail', 'handler_continue', 'handler_ignore'])

    def test_what_happens_after_a_failure(self):
        for error, options, expected in [
                (ValueError(), {'total_retries': 1}, 'handler_retry'),
                (ValueError(), {'total_retries': 0}, 'handler_fail'),
                (ValueError(), {'total_retries': -1}, 'handler_retry'),
                (NonRecoverableError(), {'total_retries': -1}, 'handler_fail'),
                (OperationRetry(), {'total_retries': 0}, 'handler_fail')]:
            self.assertEqual(self.ended(error, **options).handle_task_terminated().action, expected)
        self.assertEqual(self.ended().handle_task_terminated().action, 'handler_continue')

    def test_handlers(self):
        task = self.ended(NonRecoverableError())
        task.on_failure = lambda failed: HandlerResult.retry(ignore_total_retries=True)
        answer = task.handle_task_terminated()
        again = answer.retried_task
        self.assertEqual((again.current_retries, again.retried_task, again.on_failure), (1, task.id, task.on_failure))
        asked = []
        task = self.ended(OperationRetry('a', retry_after=100), total_retries=1)
        task.on_failure = asked.append
        before = time.time()
        again = task.handle_task_terminated().retried_task
        self.assertEqual(asked, [])
        self.assertGreaterEqual(again.execute_after, before + 100)
        task = self.ended()
        task.on_success = lambda done: HandlerResult.fail()
        self.assertEqual(task.handle_task_terminated().action, 'handler_fail')
        again = self.ended(RecoverableError('a', retry_after=7), total_retries=-1).handle_task_terminated()
        self.assertEqual(again.retry_after, 7)

    def test_stored_handlers(self):
        self.assertIsNone(serialize_handler(None))
        self.assertIs(deserialize_handler(serialize_handler(a_handler)), a_handler)
        again = deserialize_handler(serialize_handler(AHandler('n')))
        self.assertEqual((type(again), again.name), (AHandler, 'n'))
        with self.assertRaisesRegex(NonRecoverableError, 'Cannot serialize handler'):
            serialize_handler(lambda task: None)
        task = self.local(lambda: None)
        task.on_failure = lambda failed: None
        with self.assertRaises(NonRecoverableError):
            task.dump()

    def test_dumped_and_restored(self):
        graph = TaskDependencyGraph(self.ctx)
        originals = [
            tasks.RemoteWorkflowTask({'a': 1}, {'task_name': 'm.f', 'execution_token': 'secret'}, self.ctx,
                                     task_queue='q', task_target='t', total_retries=3),
            tasks.SetNodeInstanceStateTask(self.ctx, 'i', 'started'),
            tasks.SendNodeEventTask(self.ctx, 'i', 'text', {'a': 1}), tasks.NOPLocalWorkflowTask(self.ctx),
            tasks.UpdateExecutionStatusTask(self.ctx, 's'), tasks.GetNodeInstanceStateTask(self.ctx, 'i'),
            tasks.SendWorkflowEventTask(self.ctx, event='e'), self.local(lambda: None, name='n')]
        for task in originals:
            with self.subTest(task):
                task.on_success = a_handler
                dumped = task.dump()
                self.assertNotIn('secret', str(dumped))
                again = type(task).restore(self.ctx, graph, dumped)
                self.assertEqual(again.dump(), dumped)
                self.assertEqual((again, again.name, again.stored), (task, task.name, True))

    def test_operations_need_the_engine_and_say_what_to_use(self):
        task = tasks.RemoteWorkflowTask({}, {'task_name': 'm.f'}, self.ctx)
        with self.assertRaisesRegex(NonRecoverableError, 'work of a manager.*: start the workflow there'):
            task.apply_async()


class Graphs(Base):
    def setUp(self):
        super().setUp()
        self.graph = self.ctx.graph_mode()
        self.ran = []

    def step(self, name, **options):
        return self.local(lambda: self.ran.append(name), name=name, **options)

    def test_graph_mode(self):
        self.assertIs(self.ctx.graph_mode(), self.graph)
        self.assertIsInstance(self.ctx.local_task(lambda: 1), tasks.LocalWorkflowTask)
        other = CloudifyWorkflowContext({'workflow_id': 'w'})
        other._bootstrap_context = {}
        self.addCleanup(other.internal.stop_local_tasks)
        self.assertEqual(other.local_task(lambda: 1).get(), 1)
        with self.assertRaisesRegex(RuntimeError, 'Cannot switch to graph mode'):
            other.graph_mode()

    def test_a_sequence_with_a_fork(self):
        both = threading.Barrier(2)
        fork = [self.local(lambda: self.ran.append(both.wait(30) >= 0)) for _ in range(2)]
        self.graph.sequence().add(self.step('a'), forkjoin(*fork), self.step('b'))
        self.graph.execute()
        self.assertEqual(self.ran, ['a', True, True, 'b'])
        self.assertEqual(self.graph.tasks, [])

    def test_dependencies(self):
        a, b, stranger = self.step('a'), self.step('b'), self.step('c')
        self.graph.add_task(a)
        self.graph.add_task(b)
        self.graph.add_dependency(a, b)
        with self.assertRaisesRegex(RuntimeError, 'not in the graph'):
            self.graph.add_dependency(a, stranger)
        self.assertEqual([task.name for task in self.graph.linearize()], ['b', 'a'])
        self.assertIs(self.graph.get_task(a.id), a)
        self.assertIsNone(self.graph.get_task('none'))
        self.graph.add_dependency(b, a)
        with self.assertRaisesRegex(RuntimeError, 'circle'):
            self.graph.linearize()
        with self.assertRaisesRegex(RuntimeError, 'circle'):
            self.graph.execute()
        self.graph.remove_dependency(b, a)
        self.graph.execute()
        self.assertEqual(self.ran, ['b', 'a'])

    def test_subgraphs(self):
        first, second = self.graph.subgraph('first'), self.graph.subgraph('second')
        first.sequence().add(self.step('a'), self.step('b'))
        inner = second.subgraph('inner')
        inner.add_task(self.step('c'))
        self.graph.add_dependency(first, second)
        self.assertEqual(({type(one) for one in self.graph.tasks}, first.name, len(first.tasks)),
                         ({SubgraphTask, tasks.LocalWorkflowTask}, 'first', 2))
        with self.assertRaisesRegex(RuntimeError, 'is in subgraph'):
            second.add_task(next(iter(first.tasks.values())))
        self.graph.subgraph('empty')
        self.graph.execute()
        self.assertEqual(self.ran, ['c', 'a', 'b'])

    def test_retries_and_failure(self):
        tries = []

        def flaky():
            tries.append(1)
            if len(tries) < 3:
                raise OperationRetry('later', retry_after=0.05 * len(tries))
            return 'ok'

        self.graph.sequence().add(self.local(flaky, total_retries=2), self.step('after'))
        self.graph.execute()
        self.assertEqual((len(tries), self.ran), (3, ['after']))

        def broken():
            raise NonRecoverableError('no way')

        subgraph = self.graph.subgraph('s')
        subgraph.sequence().add(self.local(broken, name='broken'), self.step('never'))
        self.graph.add_task(self.step('independent'))
        with self.assertRaisesRegex(WorkflowFailed, 'Task failed: broken: NonRecoverableError `no way`') as raised:
            self.graph.execute()
        self.assertTrue(raised.exception.hide_traceback)
        self.assertEqual(self.ran, ['after', 'independent'])
        self.assertEqual(subgraph.failed_task.name, 'broken')

    def test_ignored_and_replaced_failures(self):
        def broken():
            raise ValueError('x')
        task = self.local(broken)
        task.on_failure = a_handler
        subgraph = self.graph.subgraph('s')
        subgraph.sequence().add(task, self.step('goes on'))
        failing = self.graph.subgraph('f')
        failing.add_task(self.local(broken))

        def instead(failed):
            answer = HandlerResult.retry(ignore_total_retries=True)
            answer.retried_task = self.graph.subgraph('instead')
            answer.retried_task.add_task(self.step('instead'))
            return answer
        failing.on_failure = instead
        last = self.step('last')
        self.graph.add_task(last)
        self.graph.add_dependency(last, failing)
        self.graph.execute()
        self.assertEqual(sorted(self.ran), ['goes on', 'instead', 'last'])
        self.assertEqual(self.ran[-1], 'last')

    def test_cancelled(self):
        self.graph.sequence().add(self.local(api.set_cancel_request), self.step('never'))
        with self.assertRaises(api.ExecutionCancelled):
            self.graph.execute()
        self.assertTrue(api.has_cancel_request())
        self.assertFalse(api.has_kill_request())
        self.assertEqual(self.ran, [])

    def test_optimized(self):
        a, nop, b = self.step('a'), tasks.NOPLocalWorkflowTask(self.ctx), self.step('b')
        self.graph.sequence().add(a, nop, self.graph.subgraph('empty'), b)
        self.graph.optimize()
        self.assertEqual(self.graph.linearize(), [a, b])
        self.assertEqual(self.graph._dependencies[b.id], {a.id})

    def test_removed(self):
        subgraph = self.graph.subgraph('s')
        subgraph.add_task(self.step('a'))
        self.graph.remove_task(subgraph)
        self.assertEqual(self.graph.tasks, [])

    def test_stored_and_restored(self):
        stored = {}

        class Handler:
            def get_tasks_graph(self, name):
                return stored.get(name)

            def store_tasks_graph(self, name, operations=None):
                stored[name] = {'id': 'g', 'operations': operations}
                return stored[name]

            def get_operations(self, graph_id):
                return next(one['operations'] for one in stored.values() if one['id'] == graph_id)

        self.ctx.internal.handler = Handler()

        @make_or_get_graph
        def build(ctx, count):
            graph = TaskDependencyGraph(ctx)
            subgraph = graph.subgraph('s')
            subgraph.sequence().add(*[tasks.SetNodeInstanceStateTask(ctx, str(one), 'x') for one in range(count)])
            return graph

        first = build(self.ctx, 2, name='n')
        self.assertEqual((first.id, {task.stored for task in first.tasks}), ('g', {True}))
        again = build(self.ctx, 99, name='n')
        self.assertEqual({task.id for task in again.tasks}, {task.id for task in first.tasks})
        self.assertEqual([task.id for task in again.linearize()][-1], [task.id for task in first.linearize()][-1])
        self.assertEqual(len(next(task for task in again.tasks if task.is_subgraph).tasks), 2)

    def test_settings_of_local_tasks(self):
        @task_config(total_retries=5, retry_interval=6)
        def marked():
            pass
        self.ctx._bootstrap_context = {'workflows': {'task_retries': 1, 'task_retry_interval': 2}}
        plain = self.ctx.local_task(lambda: 1)
        self.assertEqual((plain.total_retries, plain.retry_interval), (1, 2))
        task = self.ctx.local_task(marked, retry_interval=9)
        self.assertEqual((task.total_retries, task.retry_interval), (5, 6))
        task = self.ctx.local_task(marked, retry_interval=9, override_task_config=True)
        self.assertEqual((task.total_retries, task.retry_interval), (5, 9))
