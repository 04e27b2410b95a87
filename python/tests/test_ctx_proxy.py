import json
import os
import unittest
import urllib.request

from tests.operation import OperationCase

# Asks the address in CTX_SOCKET_URL as any HTTP client can, then the same port without what makes the address secret.
CLIENT = r'''#!/usr/bin/env python3
import json, os, socket, subprocess, urllib.error, urllib.request
url = os.environ['CTX_SOCKET_URL']
base, _, secret = url.rpartition('/')

def ask(address, args=('node', 'id'), method='POST'):
    request = urllib.request.Request(address, json.dumps({'args': args}).encode(), method=method)
    try:
        return json.loads(urllib.request.urlopen(request, timeout=30).read())
    except urllib.error.HTTPError as error:
        return error.code

answers = [ask(url), ask(base), ask(base + '/'), ask(base + '/' + secret[:-1]), ask(url + '/'), ask(base + '/%00'),
           ask(base + '/' + secret[::-1]), ask(url, method='PUT')]
subprocess.run(['ctx', 'returns', '@' + json.dumps([url, answers])], check=True)
'''


class CtxProxy(OperationCase):
    def as_client(self, **process):
        output = self.run_operation({'script_source': CLIENT, 'process': dict(process, eval_python=False)})
        self.assertEqual(output['type'], 'result', output)
        return output['payload']

    def test_only_the_operations_user_reaches_the_socket(self):
        url, folder, socket_mode, folder_mode = self.bash(
            'file=${CTX_SOCKET_URL#unix://}; folder=$(dirname $file)\n'
            'ctx returns @"[\\"$CTX_SOCKET_URL\\", \\"$folder\\", \\"$(stat -c %F:%a $file)\\", \\"$(stat -c %a $folder)\\"]"')
        self.assertEqual(url[:7], 'unix://')
        self.assertEqual((folder, socket_mode, folder_mode), (self.folder, 'socket:600', '700'))
        self.assertFalse([name for name in os.listdir(self.folder) if name.startswith('ctx')])

    def test_nothing_listens_on_a_port(self):
        self.assertEqual(self.bash(
            'inodes=$(ls -l /proc/$PPID/fd | grep -o "socket:\\[[0-9]*" | cut -d[ -f2)\n'
            'for inode in $inodes; do\n'
            '  grep -h " 0A .* $inode " /proc/net/tcp /proc/net/tcp6 && exit 5\n'
            'done\nctx returns none'), 'none')

    def test_clients_of_their_own_get_an_address_with_a_secret(self):
        url, answers = self.as_client(ctx_proxy_type='http')
        self.assertRegex(url, r'^http://127\.0\.0\.1:\d+/[0-9a-f]{64}$')
        self.assertEqual(answers[0], {'type': 'result', 'payload': 'web'})
        self.assertEqual(answers[1:-1], [403] * 6)
        self.assertEqual(answers[-1], 501)

    def test_where_the_folders_name_is_too_long_the_address_has_a_secret(self):
        self.folder = os.path.join(self.folder, 'x' * 100)
        os.mkdir(self.folder)
        url, answers = self.as_client()
        self.assertRegex(url, r'^http://127\.0\.0\.1:\d+/[0-9a-f]{64}$')
        self.assertEqual(answers[1:-1], [403] * 6)

    def test_no_token_no_client_and_nothing_private_can_be_reached(self):
        attempts = [
            'execution-token', 'execution_token', 'rest-token', 'rest_token', '_context', '_context execution_token',
            '--class--', '__class__', '__dict__', '_manager', '-- -manager headers', '_folder', 'events', 'instances',
            'get-brokers', 'update-operation', '_return_value', '_make_entity', 'node _manager', 'node _manager headers',
            'node relationships', 'instance _instance', 'instance _manager', 'instance __init__ __globals__',
            'download-resource __func__ __globals__', 'download_resource __self__ _context',
            'plugin __class__', 'plugin _context', 'plugin format', 'deployment __dict__', 'blueprint __class__',
            'operation _operation_retry', 'logger handlers', 'logger manager', 'logger __class__', 'capabilities _ctx',
            'agent _ctx execution_token', 'node type upper', 'node type __class__', 'node properties __class__',
            'instance runtime-properties _change', 'node type-hierarchy append']
        words = '\n'.join("ctx {0} > /dev/null 2>&1 && reached=\"$reached {0};\"".format(one) for one in attempts)
        self.assertEqual(self.bash('set +e\nreached=\n{0}\nctx returns "got$reached"'.format(words)), 'got')

    def test_keys_that_are_named_like_what_is_private_are_keys(self):
        self.assertEqual(self.bash(
            'ctx instance runtime-properties execution_token mine\nctx instance runtime-properties dirty 1\n'
            'ctx returns "$(ctx instance runtime-properties execution_token)$(ctx instance runtime-properties dirty)"'),
            'mine1')

    def test_what_is_no_request_is_refused(self):
        for body in (b'', b'[]', b'{"args": null}', b'{"args": "node"}', b'\xff', b'{"args": [{}]}', b'{"args": [1]}'):
            with self.subTest(body):
                from cloudify.context import CloudifyContext
                from cloudify.proxy.server import CtxProxy as Proxy
                from tests.operation import context
                proxy = Proxy(CloudifyContext(context()))
                self.addCleanup(proxy.close)
                request = urllib.request.Request(proxy.socket_url, body)
                with urllib.request.urlopen(request, timeout=30) as answer:
                    self.assertEqual(json.loads(answer.read())['type'], 'error')


if __name__ == '__main__':
    unittest.main()
