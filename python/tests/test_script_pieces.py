"""The parts of the script plugin and the ctx proxy that other plugins use, as they use them."""
import json
import os
import subprocess
import sys
import tempfile
import unittest
import urllib.error
import urllib.request
from unittest import mock

import cloudify.ctx_wrappers
import cloudify.proxy.client
from cloudify.exceptions import NonRecoverableError
from cloudify.mocks import MockCloudifyContext
from cloudify.proxy.client import CTX_SOCKET_URL, RequestError, ScriptException, client_req
from cloudify.proxy.server import HTTPCtxProxy, PathDictAccess, StubCtxProxy, get_unused_port, process_ctx_request
from cloudify.state import current_ctx
from script_runner import tasks

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Case(unittest.TestCase):
    def setUp(self):
        self.ctx = MockCloudifyContext(node_id='web_1', node_name='web', properties={'port': 80, 'a': {'b': [1, 2]}},
                                       runtime_properties={'r': 1}, operation={'retry_number': 0})
        current_ctx.set(self.ctx)
        self.addCleanup(current_ctx.clear)

    def proxy(self, **options):
        proxy = HTTPCtxProxy(self.ctx, **options)
        self.addCleanup(proxy.close)
        return proxy


class Pieces(Case):
    def test_how_the_shared_sdk_runs_a_process(self):
        process = {'env': {'GIVEN': {'a': 1}, 'N': 1}, 'ctx_proxy_type': 'auto'}
        proxy = tasks.start_ctx_proxy(self.ctx, process)
        try:
            environment = tasks._get_process_environment(process, proxy)
            self.assertEqual((environment['GIVEN'], environment['N'], environment['CTX_SOCKET_URL']),
                             ('{"a": 1}', '1', proxy.socket_url))
            self.assertIn('TMPDIR', environment)
            self.assertIn(os.path.dirname(sys.executable), environment['PATH'].split(os.pathsep))
            process = subprocess.Popen(['ctx', 'node', 'properties', 'port'], env=environment, stdout=subprocess.PIPE)
            while process.poll() is None:
                tasks.process_ctx_request(proxy)
                try:
                    process.wait(tasks.POLL_LOOP_INTERVAL)
                except subprocess.TimeoutExpired:
                    pass
            self.assertEqual(process.communicate()[0], b'80')
        finally:
            proxy.close()
        self.assertEqual((tasks.POLL_LOOP_INTERVAL, tasks.POLL_LOOP_LOG_ITERATIONS), (0.1, 200))

    def test_proxies_by_their_kind(self):
        stub = tasks.start_ctx_proxy(self.ctx, {'ctx_proxy_type': 'none'})
        self.assertIsInstance(stub, StubCtxProxy)
        self.assertEqual(stub.socket_url, '')
        stub.close()
        self.assertNotIn(CTX_SOCKET_URL, tasks._get_process_environment({}, stub))
        with self.assertRaises(NonRecoverableError):
            tasks.start_ctx_proxy(self.ctx, {'ctx_proxy_type': 'pigeon'})

    def test_configuration(self):
        given = {'env': {'A': 'own'}, 'cwd': '/'}
        made = tasks.create_process_config(given, {'A': 'input', 'B': [1], 'C': True, 'D': None, 'ctx': object()})
        self.assertEqual(made, {'cwd': '/', 'env': {'A': 'own', 'B': '[1]', 'C': 'true', 'D': 'None'}})
        self.assertEqual(given['env'], {'A': 'own'})

    def run_as(self, function):
        return tasks.process_execution(lambda path, ctx, process: function(ctx), '/x', self.ctx, {})

    def test_answers(self):
        self.assertIsNone(self.run_as(lambda ctx: None))
        self.assertTrue(self.ctx.is_script_exception_defined)
        self.assertEqual(self.run_as(lambda ctx: ctx.returns({'a': 1})), {'a': 1})
        with self.assertRaisesRegex(NonRecoverableError, '^stop$'):
            self.run_as(lambda ctx: ctx.abort_operation('stop'))
        self.assertIsInstance(self.ctx._return_value, ScriptException)
        answer = self.run_as(lambda ctx: ctx.retry_operation('later', retry_after='4'))
        self.assertEqual((type(answer), answer.retry, self.ctx.operation._operation_retry.retry_after),
                         (ScriptException, True, 4))

        def twice(ctx):
            ctx.returns(1)
            with self.assertRaises(RuntimeError) as raised:
                ctx.returns(2)
            self.assertIs(raised.exception, tasks.ILLEGAL_CTX_OPERATION_ERROR)
            self.assertIs(ctx._return_value, tasks.ILLEGAL_CTX_OPERATION_ERROR)
        with self.assertRaisesRegex(NonRecoverableError, 'may only abort or return once'):
            self.run_as(twice)
        with self.assertRaises(ZeroDivisionError):
            self.run_as(lambda ctx: 1 / 0)

    def test_scripts_that_are_run_by_others(self):
        with tempfile.TemporaryDirectory() as folder:
            python, shell = os.path.join(folder, 'a.py'), os.path.join(folder, 'a.sh')
            with open(python, 'w') as target:
                target.write('from cloudify import ctx\nctx.returns([__name__, ctx.instance.id])')
            with open(shell, 'w') as target:
                target.write('#!/bin/sh\nctx returns "$(ctx node name)"')
            os.chmod(shell, 0o755)
            for path, expected in ((python, ['__main__', 'web_1']), (shell, 'web')):
                function = tasks.get_run_script_func(path, {})
                self.assertEqual(tasks.process_execution(function, path, self.ctx, {}), expected)
            self.assertIs(tasks.get_run_script_func(python, {'eval_python': False}), tasks.execute)
            self.assertIs(tasks.get_run_script_func(shell, {'eval_python': True}), tasks.eval_script)
            with self.assertRaises(tasks.ProcessException) as raised:
                tasks.process_execution(tasks.execute, 'exit 4;', self.ctx, {})
            self.assertEqual(raised.exception.exit_code, 4)
            self.assertEqual(tasks.download_resource(lambda path: 'got ' + path, 'a.sh'), 'got a.sh')
            with open(tasks.download_resource(None, 'file://' + shell)) as copy:
                self.assertIn('ctx returns', copy.read())
            with self.assertRaises(NonRecoverableError):
                tasks.download_resource(None, 'gopher://x')
        self.assertEqual(tasks.run(script_source='from cloudify import ctx\nctx.returns(1)', ctx=self.ctx), 1)


class Proxies(Case):
    def test_over_a_port(self):
        port = get_unused_port()
        proxy = self.proxy(port=port)
        self.assertEqual(proxy.port, port)
        self.assertIn(':{0}/'.format(port), proxy.socket_url)
        self.assertEqual(client_req(proxy.socket_url, ['node', 'properties', 'a.b[1]']), 2)
        client_req(proxy.socket_url, ['instance', 'runtime-properties', 'new', 'value'])
        self.assertEqual(self.ctx.instance.runtime_properties, {'r': 1, 'new': 'value'})
        with self.assertRaises(RequestError) as raised:
            client_req(proxy.socket_url, ['no', 'such'])
        self.assertEqual(raised.exception.ex_type, 'RuntimeError')
        self.assertGreater(self.proxy().port, 0)
        for url in ('http://127.0.0.1:{0}/'.format(port), proxy.socket_url + '0'):
            with self.assertRaisesRegex(RuntimeError, '403'):
                client_req(url, ['node', 'id'])

    def test_what_cloudify_ctx_stands_for_is_reached_from_the_proxys_threads(self):
        from cloudify import ctx
        proxy = HTTPCtxProxy(ctx)
        self.addCleanup(proxy.close)
        self.ctx.download_resource = lambda path: ctx.instance.id + path
        self.assertEqual(client_req(proxy.socket_url, ['download-resource', '/x']), 'web_1/x')

    def test_abort_ends_the_client(self):
        from script_runner.answers import add_answers
        add_answers(self.ctx)
        with self.assertRaisesRegex(SystemExit, 'enough'):
            client_req(self.proxy().socket_url, ['abort-operation', 'enough'])

    def test_the_client_is_one_file(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(cloudify.proxy.client.__file__) as source, open(os.path.join(folder, 'ctx'), 'w') as target:
                target.write('#!{0}\n'.format(sys.executable) + source.read())
            environment = {CTX_SOCKET_URL: self.proxy().socket_url, 'PATH': os.defpath}

            def ctx(*words):
                return subprocess.run([sys.executable, '-S', os.path.join(folder, 'ctx')] + list(words), env=environment,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder)
            self.assertEqual(ctx('node', 'properties', 'port').stdout, b'80')
            self.assertEqual(ctx('-j', 'node', 'properties').stdout, b'{"port": 80, "a": {"b": [1, 2]}}')
            self.assertEqual(ctx('instance', 'runtime-properties', 'x', '@[1]').returncode, 0)
            self.assertEqual(self.ctx.instance.runtime_properties['x'], [1])
            failed = ctx('nothing')
            self.assertEqual((failed.returncode, b'cannot be processed' in failed.stderr), (1, True))

    def test_the_wrapper_for_python_scripts(self):
        wrapper = os.path.join(os.path.dirname(cloudify.ctx_wrappers.__file__), 'ctx-py.py')
        script = '''
import ctx
ctx.instance.runtime_properties['dotted.key'] = {'port': ctx.node.properties['port']}
ctx.instance.runtime_properties['gone'] = 1
del ctx.instance.runtime_properties['gone']
ctx.logger.info('hello')
try:
    ctx.source.node.id
except ctx.CtxError as error:
    failed = 'ctx.source does not exist' in str(error)
ctx.returns([ctx.node.id, ctx.node.name, ctx.instance.id, ctx('node properties a.b'), failed,
             sorted(ctx.instance.runtime_properties), ctx.node.properties.get('none', 5)])
'''
        with tempfile.TemporaryDirectory() as folder:
            with open(wrapper) as source, open(os.path.join(folder, 'ctx.py'), 'w') as target:
                target.write(source.read())
            with open(os.path.join(folder, 's'), 'w') as target:
                target.write(script)
            self.ctx._logger = mock.Mock()
            result = tasks.process_execution(tasks.execute, os.path.join(folder, 's'), self.ctx, {
                'command_prefix': sys.executable, 'env': {'PYTHONPATH': folder}})
        self.assertEqual(result, ['web', 'web', 'web_1', [1, 2], True, ['dotted.key', 'r'], 5])
        self.assertEqual(self.ctx.instance.runtime_properties['dotted.key'], {'port': 80})

    def test_by_hand(self):
        self.assertEqual(process_ctx_request(self.ctx, ['instance', 'runtime-properties', 'get', 'r']), 1)
        access = PathDictAccess({'a': [{'b': 1}]})
        access.set('c.d', 2)
        self.assertEqual((access.get('a[0].b'), access.get('c'), access.obj['c']), (1, {'d': 2}, {'d': 2}))
        for path in ('a[7]', 'x.y', ''):
            with self.assertRaisesRegex(RuntimeError, 'illegal path'):
                access.get(path)

    def test_a_body_of_another_kind_is_refused(self):
        request = urllib.request.Request(self.proxy().socket_url, json.dumps({'args': [1]}).encode())
        with urllib.request.urlopen(request, timeout=30) as answer:
            self.assertEqual(json.loads(answer.read())['type'], 'error')
