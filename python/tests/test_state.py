import copy
import threading
import unittest

import proxy_tools
from cloudify import ctx
from cloudify.mocks import MockCloudifyContext
from cloudify.state import (
    CtxParameters, CurrentContext, NotInContext, ctx_parameters, current_ctx, current_workflow_ctx, workflow_ctx,
    workflow_parameters)


class State(unittest.TestCase):
    def setUp(self):
        self.addCleanup(current_ctx.clear)
        self.addCleanup(current_workflow_ctx.clear)

    def test_nothing_runs(self):
        for call in (current_ctx.get_ctx, current_ctx.get_parameters, current_workflow_ctx.get_ctx,
                     lambda: ctx.instance, lambda: ctx_parameters['a'], lambda: workflow_ctx.nodes,
                     lambda: workflow_parameters['a'], lambda: setattr(ctx, 'a', 1), ctx._get_current_object):
            with self.assertRaises(NotInContext):
                call()
        self.assertTrue(issubclass(NotInContext, RuntimeError))
        self.assertFalse(ctx)
        self.assertIn('unbound', repr(ctx))

    def test_set_and_clear(self):
        mock = MockCloudifyContext(node_id='a')
        current_ctx.set(mock, {'port': 1})
        self.assertIs(ctx._get_current_object(), mock)
        self.assertEqual(ctx.instance.id, 'a')
        self.assertEqual((ctx_parameters.port, ctx_parameters['port'], ctx_parameters.get('x')), (1, 1, None))
        current_ctx.clear()
        self.assertRaises(NotInContext, current_ctx.get_ctx)
        current_ctx.set(mock)
        self.assertEqual(current_ctx.get_parameters(), {})

    def test_push_yields_the_holder_and_puts_back_what_was_there(self):
        outer, inner = MockCloudifyContext(node_id='outer'), MockCloudifyContext(node_id='inner')
        with current_ctx.push(outer, {'a': 1}) as holder:
            self.assertIs(holder, current_ctx)
            with self.assertRaisesRegex(ValueError, 'x'):
                with current_ctx.push(inner):
                    self.assertEqual(ctx.instance.id, 'inner')
                    self.assertNotIn('a', ctx_parameters)
                    raise ValueError('x')
            self.assertEqual((ctx.instance.id, ctx_parameters.a), ('outer', 1))
        self.assertRaises(NotInContext, current_ctx.get_ctx)

    def test_each_thread_has_its_own(self):
        seen = []

        def look(name):
            try:
                seen.append(ctx.instance.id)
            except NotInContext:
                seen.append(None)
            with current_ctx.push(MockCloudifyContext(node_id=name)):
                barrier.wait(30)
                seen.append(ctx.instance.id)

        barrier = threading.Barrier(2)
        with current_ctx.push(MockCloudifyContext(node_id='main')):
            threads = [threading.Thread(target=look, args=(name,)) for name in 'ab']
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(ctx.instance.id, 'main')
        self.assertEqual(sorted(seen, key=str), [None, None, 'a', 'b'])

    def test_holders_are_independent(self):
        other = CurrentContext()
        other.set('x')
        self.assertRaises(NotInContext, current_ctx.get_ctx)
        self.assertEqual(other.get_ctx(), 'x')

    def test_parameters(self):
        parameters = CtxParameters({'a': 1})
        self.assertEqual(CtxParameters(None), {})
        with self.assertRaises(KeyError):
            parameters.b
        parameters.b = 2
        self.assertEqual(copy.deepcopy(parameters), {'a': 1, 'b': 2})

    def test_proxies_do_what_the_object_does(self):
        self.assertIsInstance(ctx, proxy_tools.Proxy)
        current_workflow_ctx.set({'a': 1}, {'p': [1]})
        self.assertEqual((len(workflow_ctx), list(workflow_ctx), workflow_ctx['a'], 'a' in workflow_ctx), (1, ['a'], 1, True))
        self.assertEqual(workflow_ctx, {'a': 1})
        self.assertNotEqual(workflow_ctx, {})
        self.assertTrue(workflow_ctx)
        workflow_ctx['b'] = 2
        del workflow_ctx['a']
        self.assertEqual(str(workflow_ctx), "{'b': 2}")
        self.assertEqual(workflow_parameters.p, [1])
        current_workflow_ctx.set({})
        self.assertFalse(workflow_ctx)

    def test_what_a_proxy_of_nothing_is(self):
        self.assertEqual((dir(ctx), bool(ctx), repr(ctx)), ([], False, '<Proxy unbound>'))

    def test_proxy_as_a_decorator(self):
        values = [1, 2]

        @proxy_tools.proxy
        def last():
            return values[-1]

        self.assertEqual((last, last + 1, last > 1, hash(last)), (2, 3, True, hash(2)))
        values.append('text')
        self.assertEqual(last.upper(), 'TEXT')
