"""What the client makes of answers, good and bad, from a server that it reaches over a real connection."""
import base64
import io
import json
import os
import socket
import ssl
import sys
import tempfile
import threading
import tracemalloc
import types
import unittest
from unittest import mock

from cloudify_rest_client import CloudifyClient, CloudifyClusterClient, exceptions
from cloudify_rest_client.failures import ConnectionFailed, ReadTimedOut
from cloudify_rest_client.session import Session
from tests.http_server import Server

FOLDER = os.path.dirname(os.path.abspath(__file__))
BIG = 100 * 1024 * 1024


class ClientTest(unittest.TestCase):
    def setUp(self):
        self.server = self.serve()

    def serve(self, answers=None, context=None):
        server = Server(answers, context)
        self.addCleanup(server.close)
        return server

    def client(self, **options):
        return CloudifyClient('127.0.0.1', self.server.port, **options)

    def folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name

    def refusal(self, path='/deployments/d'):
        with self.assertRaises(exceptions.CloudifyClientError) as caught:
            self.client().deployments.get('d')
        return caught.exception


class Errors(ClientTest):
    def answer(self, status, content, headers=None):
        self.server.answers['/deployments/d'] = (status, content, headers)

    def test_each_code_has_its_class(self):
        self.assertEqual(len(exceptions.ERROR_MAPPING), 31)
        for code, kind in exceptions.ERROR_MAPPING.items():
            self.answer(400, {'message': 'it is so', 'error_code': code, 'server_traceback': None})
            error = self.refusal()
            self.assertIs(type(error), kind)
            self.assertEqual((error.status_code, error.error_code, str(error)), (400, code, '400: it is so'))
            self.assertEqual(error.response.status_code, 400)
            self.assertFalse(hasattr(error, 'message'))

    def test_any_other_code_is_the_base_class(self):
        self.answer(404, {'message': 'none', 'error_code': 'not_found_error', 'server_traceback': 'a\n  b\nE: c\n'})
        error = self.refusal()
        self.assertIs(type(error), exceptions.CloudifyClientError)
        self.assertEqual(str(error), '404: none (E: c)')
        self.assertEqual(error.server_traceback, 'a\n  b\nE: c\n')

    def test_a_filter_rule_says_which(self):
        self.answer(400, {'message': 'bad', 'error_code': 'invalid_filter_rule', 'err_filter_rule': {'key': 'a'},
                          'err_reason': 'because'})
        error = self.refusal()
        self.assertEqual((error.err_filter_rule, error.err_reason), ({'key': 'a'}, 'because'))

    def test_what_is_not_json_is_shown_as_it_is(self):
        self.answer(502, b'<html>Bad Gateway</html>')
        url = 'http://127.0.0.1:{0}/api/v3.1/deployments/d?all_sub_deployments=True&include_workdir=False'.format(
            self.server.port)
        self.assertEqual(str(self.refusal()), '502: <html>Bad Gateway</html> [{0}]'.format(url))
        self.answer(500, b'x' * 10_000_000)
        self.assertLess(len(str(self.refusal())), 11_000)
        for content in (b'', b'[]', b'"text"', b'null', b'\xff\xfe'):
            self.answer(503, content)
            self.assertEqual(self.refusal().status_code, 503)

    def test_not_modified(self):
        self.answer(304, b'')
        self.assertIsInstance(self.refusal(), exceptions.NotModifiedError)

    def test_a_page_instead_of_json_is_no_answer(self):
        self.answer(200, b'<html>Log in to this network</html>')
        self.assertIn('not JSON', str(self.refusal()))

    def test_another_status_of_success_is_not_taken(self):
        self.answer(202, {'id': 'd'})
        self.assertEqual(self.refusal().status_code, 202)


class Connections(ClientTest):
    def test_nobody_there(self):
        with socket.socket() as taken:
            taken.bind(('127.0.0.1', 0))
            client = CloudifyClient('127.0.0.1', taken.getsockname()[1])
            with self.assertRaises(ConnectionError) as caught:
                client.deployments.list()
        self.assertIn(client._client.base_url, str(caught.exception))

    def test_errors_are_those_of_requests_where_that_is_loaded(self):
        for mine, theirs in (('ConnectionError', None), ('ReadTimeout', 0.1)):
            fake = types.ModuleType('requests.exceptions')
            base = type('RequestException', (OSError,), {})
            for name in ('ConnectionError', 'SSLError', 'ConnectTimeout', 'ReadTimeout'):
                setattr(fake, name, type(name, (base,), {}))
            self.server.answers['/deployments'] = lambda handler: threading.Event().wait(5)
            port = self.server.port if theirs else 1
            with mock.patch.dict(sys.modules, {'requests.exceptions': fake}):
                with self.assertRaises(getattr(fake, mine)) as caught:
                    CloudifyClient('127.0.0.1', port, timeout=theirs).deployments.list()
                self.assertIsInstance(caught.exception, (ConnectionFailed, ReadTimedOut))

    def test_an_answer_that_does_not_come(self):
        over = threading.Event()
        self.addCleanup(over.set)
        self.server.answers['/deployments'] = lambda handler: over.wait()
        with self.assertRaises(TimeoutError):
            self.client(timeout=(5, 0.1)).deployments.list()

    def test_an_answer_that_breaks_off(self):
        def cut(handler):
            handler.send(200, b'{"items": [', {'Content-Length': '1000'})
            handler.close_connection = True

        def cut_chunked(handler):
            handler.send(200, b'a\r\n{"items": ', {'Content-Length': '', 'Transfer-Encoding': 'chunked'})
            handler.close_connection = True
        for how in (cut, cut_chunked):
            self.server.answers['/deployments'] = how
            with self.assertRaises(ConnectionError):
                self.client().deployments.list()

    def test_no_http_at_all(self):
        def noise(handler):
            handler.wfile.write(b'SSH-2.0-OpenSSH_9.2\r\n')
            handler.close_connection = True
        self.server.answers['/deployments'] = noise
        with self.assertRaises(ConnectionError):
            self.client().deployments.list()

    def test_connections_are_used_again_and_by_many_threads(self):
        self.server.answers['/sites'] = (200, {'items': [], 'metadata': {}})
        client = self.client()
        for _ in range(5):
            client.sites.list()
        self.assertEqual(self.server.connections, 1)
        failures = []

        def work():
            try:
                for _ in range(20):
                    client.sites.list()
            except Exception as error:
                failures.append(error)
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.assertLessEqual(self.server.connections, 9)

    def test_a_process_that_was_forked_while_a_thread_had_the_lock(self):
        session = Session()
        url = 'http://127.0.0.1:{0}/'.format(self.server.port)
        session.get(url)
        with session._lock:
            pid = os.fork()
            if pid == 0:
                code = 1
                try:
                    code = 0 if session.get(url).status_code == 200 else 2
                    session.close()
                finally:
                    os._exit(code)
            self.assertEqual(os.waitpid(pid, 0)[1], 0)
        self.assertEqual(session.get(url).status_code, 200)
        session.close()

    def test_a_connection_that_the_server_has_closed(self):
        def close_after(handler):
            handler.asked()
            handler.send(200, {'items': []})
            handler.close_connection = True
        self.server.answers['/sites'] = close_after
        client = self.client()
        for _ in range(3):
            client.sites.list()
        self.assertEqual(len(self.server.asked), 3)

    def test_what_may_not_happen_twice_is_not_sent_twice(self):
        def vanish(handler):
            handler.asked()
            handler.close_connection = True
            handler.connection.shutdown(socket.SHUT_RDWR)
        self.server.answers.update({'/sites': (200, {'items': []}), '/executions': vanish})
        client = self.client()
        client.sites.list()
        with self.assertRaises(ConnectionError):
            client.executions.start('d', 'install')
        self.assertEqual([asked[0] for asked in self.server.asked], ['GET', 'POST'])

    def test_certificates(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        certificate = os.path.join(FOLDER, 'tls', 'certificate.pem')
        context.load_cert_chain(certificate, os.path.join(FOLDER, 'tls', 'key.pem'))
        server = self.serve({'/sites': (200, {'items': []})}, context)

        def listed(**options):
            return len(CloudifyClient('127.0.0.1', server.port, protocol='https', **options).sites.list())
        self.assertEqual((listed(cert=certificate), listed(trust_all=True)), (0, 0))
        with self.assertRaises(ConnectionError) as caught:
            listed()
        self.assertIn('certificate', str(caught.exception))
        self.assertIsNotNone(caught.exception.__cause__)


class Redirects(ClientTest):
    def to(self, status, location):
        return (status, b'', {'Location': location})

    def test_they_are_followed_and_told(self):
        self.server.answers.update({
            '/deployments/d': self.to(302, '/api/v3.1/deployments/e'), '/deployments/e': (200, {'id': 'e'})})
        found = self.client().deployments.get('d')
        self.assertEqual((found.id, [one.status_code for one in found['history']]), ('e', [302]))

    def test_credentials_do_not_follow_to_another_host(self):
        other = self.serve({'/deployments/d': (200, {'id': 'theirs'})})
        for status in (301, 302, 303, 307, 308):
            self.server.answers['/deployments/d'] = self.to(
                status, 'http://127.0.0.1:{0}/api/v3.1/deployments/d'.format(other.port))
            self.client(token='secret', username='a', password='b', headers={'Execution-Token': 'x'}).deployments.get('d')
        for _, _, headers, _ in other.asked:
            self.assertEqual({'Authorization', 'Authentication-Token', 'Execution-Token'} & set(headers), set())
        self.assertEqual(len(other.asked), 5)

    def test_a_body_is_sent_again_where_that_is_meant(self):
        self.server.answers.update({
            '/sites/a': self.to(307, '/api/v3.1/sites/b'), '/sites/b': (200, {'name': 'b'}),
            '/users/x': self.to(303, '/api/v3.1/sites/b')})
        self.client().sites.create('a', location='1,2')
        self.client().users.set_role('x', 'default')
        self.assertEqual([(one[0], bool(one[3])) for one in self.server.asked], [
            ('PUT', True), ('PUT', True), ('POST', True), ('GET', False)])

    def test_they_end(self):
        self.server.answers['/deployments/d'] = self.to(302, '/api/v3.1/deployments/d')
        with self.assertRaises(ConnectionError):
            self.client().deployments.get('d')

    def test_nowhere_but_to_http(self):
        self.server.answers['/deployments/d'] = self.to(302, 'file:///etc/passwd')
        with self.assertRaises(ConnectionError):
            self.client().deployments.get('d')


class LoggingIn(ClientTest):
    def headers(self, **options):
        self.server.answers['/sites'] = (200, {'items': []})
        self.client(**options).sites.list()
        return self.server.asked[-1][2]

    def test_each_way(self):
        basic = 'Basic ' + base64.b64encode('jö:p:w'.encode()).decode()
        self.assertEqual(self.headers(username='jö', password='p:w')['Authorization'], basic)
        self.assertEqual(self.headers(token='t')['Authentication-Token'], 't')
        self.assertEqual(self.headers(tenant='here')['Tenant'], 'here')
        self.assertEqual(self.headers(headers={'Execution-Token': 'e'})['Execution-Token'], 'e')
        self.assertEqual(self.headers()['Content-type'], 'application/json')

    def test_the_tenant_can_change(self):
        client = self.client(tenant='a')
        self.assertEqual(client._client.tenant_name, 'a')
        client._client.tenant_name = 'b'
        self.server.answers['/sites'] = (200, {'items': []})
        client.sites.list()
        self.assertEqual(self.server.asked[-1][2]['Tenant'], 'b')

    def test_kerberos_needs_a_session_of_its_own(self):
        with self.assertRaisesRegex(exceptions.CloudifyClientError, 'session'):
            self.client(kerberos_env='true').sites.list()
        self.server.answers['/sites'] = (200, {'items': []})
        self.assertEqual(len(self.client(kerberos_env='true', session=Session()).sites.list()), 0)
        self.assertEqual(len(self.client(kerberos_env='true', token='t').sites.list()), 0)

    def test_version_and_query(self):
        self.server.answers['/api/v3/sites'] = (200, {'items': []})
        self.client(api_version='v3', query_params={'_all_tenants': True}).sites.list()
        self.assertEqual(self.server.asked[-1][1], '/api/v3/sites?_all_tenants=True')

    def test_nothing_can_be_put_into_headers_or_lines(self):
        for options in ({'token': 'a\r\nX: b'}, {'tenant': 'a\nb'}):
            with self.assertRaises(ValueError):
                self.headers(**options)
        self.client().sites.get('a\r\nHost: b /..#?x')
        self.assertEqual(self.server.asked[-1][1], '/api/v3.1/sites/a%0D%0AHost:%20b%20%2F..%23%3Fx')


class Cluster(ClientTest):
    def test_the_next_host_is_asked(self):
        self.server.answers['/sites'] = (200, {'items': []})
        with mock.patch('socket.create_connection', wraps=socket.create_connection) as connect:
            real = connect._mock_wraps

            def dead(address, *args, **kwargs):
                if address[0] == 'dead':
                    raise ConnectionRefusedError('refused')
                return real(address, *args, **kwargs)
            connect.side_effect = dead
            client = CloudifyClusterClient(['dead', '127.0.0.1'], self.server.port)
            self.assertEqual(len(client.sites.list()), 0)
            self.assertEqual((client._client.host, client.host), ('127.0.0.1', ['dead', '127.0.0.1']))

    def test_failures_are_waited_out(self):
        left = [503, 502, 500, 403]

        def answer(handler):
            handler.asked()
            handler.send(left.pop(0), {'message': 'not yet'}) if left else handler.send(200, {'items': []})
        self.server.answers['/sites'] = answer
        self.assertEqual(len(CloudifyClusterClient('127.0.0.1', self.server.port).sites.list()), 0)
        self.assertEqual(len(self.server.asked), 5)

    def test_what_is_wrong_stays_wrong(self):
        self.server.answers['/sites'] = (404, {'message': 'none'})
        with self.assertRaises(exceptions.CloudifyClientError):
            CloudifyClusterClient('127.0.0.1', self.server.port).sites.list()
        self.assertEqual(len(self.server.asked), 1)


class Files(ClientTest):
    def test_a_download(self):
        self.server.answers['/blueprints/b/archive'] = (
            200, b'zip' * 100_000, {'Content-Disposition': 'attachment; filename="../../etc/b.zip"'})
        folder = self.folder()
        told = []
        path = self.client().blueprints.download('b', folder, progress_callback=lambda *so_far: told.append(so_far))
        self.assertEqual((path, os.path.getsize(path)), (os.path.join(folder, 'b.zip'), 300_000))
        self.assertEqual((told[-1], told == sorted(told)), ((300_000, 300_000), True))
        with self.assertRaises(OSError):
            self.client().blueprints.download('b', path)
        self.assertEqual(os.path.getsize(path), 300_000)

    def test_a_download_that_breaks_off_leaves_nothing(self):
        def cut(handler):
            handler.send(200, b'some', {'Content-Length': '1000'})
            handler.close_connection = True
        self.server.answers['/blueprints/b/archive'] = cut
        path = os.path.join(self.folder(), 'b.zip')
        with self.assertRaises(ConnectionError):
            self.client().blueprints.download('b', path)
        self.assertFalse(os.path.exists(path))

    def test_a_download_that_is_refused_is_an_error(self):
        self.server.answers['/blueprints/b/archive'] = (404, {'message': 'no such blueprint'})
        path = os.path.join(self.folder(), 'b.zip')
        with self.assertRaisesRegex(exceptions.CloudifyClientError, 'no such blueprint'):
            self.client().blueprints.download('b', path)
        self.assertFalse(os.path.exists(path))

    def test_an_upload(self):
        self.server.answers['/blueprints/b'] = (201, {'id': 'b', 'state': 'uploaded'})
        folder = self.folder()
        with open(os.path.join(folder, 'main blueprint.yaml'), 'w') as file:
            file.write('text')
        os.chmod(file.name, 0o600)
        os.symlink(file.name, os.path.join(folder, 'link.yaml'))
        told = []
        blueprint = self.client().blueprints.upload(
            file.name, 'b', labels=[{'env': 'prod'}], progress_callback=lambda *so_far: told.append(so_far))
        self.assertEqual((blueprint.id, blueprint.state), ('b', 'uploaded'))
        method, path, headers, body = self.server.asked[-1]
        self.assertEqual((method, path), ('PUT', '/api/v3.1/blueprints/b'))
        self.assertEqual(int(headers['Content-Length']), len(body))
        params, archive = parts(headers['Content-type'], body)
        self.assertEqual(json.loads(params.get_payload()), {
            'visibility': 'tenant', 'async_upload': False, 'skip_execution': False,
            'labels': [{'key': 'env', 'value': 'prod'}], 'application_file_name': 'main%20blueprint.yaml'})
        self.assertEqual((archive.get_filename(), archive.get_content_type()), ('filename', 'text/plain'))
        content = archive.get_payload(decode=True)
        self.assertEqual(told[-1], (len(content), len(content)))
        import tarfile
        with tarfile.open(fileobj=io.BytesIO(content)) as tar:
            name = os.path.basename(folder)
            self.assertEqual(tar.extractfile(name + '/link.yaml').read(), b'text')
            self.assertEqual(tar.getmember(name + '/main blueprint.yaml').mode & 0o444, 0o444)

    def test_a_folder_that_is_too_large_is_not_sent(self):
        self.server.answers['/config'] = (200, {'items': [{'name': 'blueprint_folder_max_files', 'value': 1}]})
        folder = self.folder()
        for name in ('a.yaml', 'b.yaml'):
            with open(os.path.join(folder, name), 'w'):
                pass
        with self.assertRaises(ValueError):
            self.client().blueprints.upload(os.path.join(folder, 'a.yaml'), 'b', skip_size_limit=False)
        self.assertEqual([one[1] for one in self.server.asked], ['/api/v3.1/config?scope=rest'])

    def test_an_address_is_left_to_the_manager(self):
        self.server.answers.update({'/blueprints/b': (201, {'id': 'b'}), '/plugins': (201, {'id': 'p'})})
        self.client().blueprints.upload('https://host/b.zip', 'b')
        self.client().plugins.upload('https://host/p.wgn', visibility='global')
        self.assertIn(b'"blueprint_archive_url": "https://host/b.zip"', self.server.asked[0][3])
        self.assertEqual(self.server.asked[1][1],
                         '/api/v3.1/plugins?plugin_archive_url=https%3A%2F%2Fhost%2Fp.wgn&visibility=global')

    def test_100_mb_take_no_memory(self):
        path = os.path.join(self.folder(), 'big.wgn')
        with open(path, 'wb') as file:
            file.truncate(BIG)
        taken = []

        def take(handler):
            taken.append(sum(len(piece) for piece in handler.pieces()))
            handler.send(201, {'id': 'p'})

        def give(handler):
            handler.send(200, b'', {'Content-Length': str(BIG)})
            piece = b'\0' * 1024 * 1024
            for _ in range(100):
                handler.wfile.write(piece)
        self.server.answers.update({'/plugins': take, '/plugins/p/archive': give})
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        self.client().plugins.upload(path)
        self.client().plugins.download('p', path + '.copy')
        self.assertEqual((taken, os.path.getsize(path + '.copy')), ([BIG], BIG))
        self.assertLess(tracemalloc.get_traced_memory()[1], 8 * 1024 * 1024)

    def test_an_upload_that_is_refused_before_it_is_over(self):
        path = os.path.join(self.folder(), 'big.wgn')
        with open(path, 'wb') as file:
            file.truncate(BIG)

        def refuse(handler):
            handler.send(403, {'message': 'not you', 'error_code': 'forbidden_error'})
            handler.wfile.flush()
            handler.connection.shutdown(socket.SHUT_WR)
            handler.close_connection = True
            # A server that has answered takes what is still on its way, for a while.
            for _ in zip(range(100), handler.pieces()):
                pass
        self.server.answers['/plugins'] = refuse
        with self.assertRaises((exceptions.ForbiddenError, ConnectionError)):
            self.client().plugins.upload(path)


def parts(kind, body):
    import email
    return email.message_from_bytes(b'Content-Type: ' + kind.encode() + b'\r\n\r\n' + body).get_payload()
