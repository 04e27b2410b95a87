"""A small real HTTP server that speaks the REST calls an operation needs: a double of the contract, in memory."""
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit


class FakeManager:
    def __init__(self):
        self.instances = {}
        self.nodes = {}
        self.files = {}
        self.blueprints = {}
        self.answers = {}  # path: what GET answers there
        self.logs = []
        self.events = []
        self.requests = []
        self.body_limit = 16 * 1024 * 1024
        self.refused = None  # a text that no log may hold
        self.failures = []  # statuses to answer first: [503, 503]
        self.evaluate = lambda payload, context: payload
        manager = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'
            wbufsize = -1

            def do_GET(self):
                self._reply('GET')

            def do_POST(self):
                self._reply('POST')

            def do_PATCH(self):
                self._reply('PATCH')

            def _reply(self, method):
                body = self.rfile.read(int(self.headers.get('Content-Length') or 0))
                address = urlsplit(self.path)
                query = {key: value[0] for key, value in parse_qs(address.query).items()}
                path = unquote(address.path)
                manager.requests.append((method, path, query, dict(self.headers)))
                status, answer = (manager.failures.pop(0), {'message': 'not now'}) if manager.failures else \
                    manager.answer(method, path, query, body)
                answer = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status)
                self.send_header('Content-Length', str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def environment(self):
        return {'REST_HOST': '127.0.0.1', 'REST_PORT': str(self.port), 'REST_PROTOCOL': 'http',
                'MANAGER_FILE_SERVER_URL': 'http://127.0.0.1:{0}/resources'.format(self.port)}

    def add(self, instance_id, node, properties=None, runtime_properties=None, **fields):
        self.instances[instance_id] = dict({
            'id': instance_id, 'node_id': node, 'deployment_id': 'd', 'state': 'creating', 'version': 1, 'index': 1,
            'runtime_properties': runtime_properties or {}, 'relationships': []}, **fields)
        self.nodes[node] = {'id': node, 'type': 'test.Node', 'type_hierarchy': ['cloudify.nodes.Root', 'test.Node'],
                            'number_of_instances': 1, 'properties': properties or {}, 'relationships': []}

    def texts(self):
        return [log['message']['text'] for log in self.logs]

    def answer(self, method, path, query, body):
        data = json.loads(body) if body else None
        missing = 404, {'message': 'there is no ' + path, 'error_code': 'not_found_error'}
        if path.startswith('/resources/'):
            found = self.files.get(path[len('/resources/'):])
            return missing if found is None else (200, found)
        path = path[len('/api/v3.1'):]
        if method == 'GET' and path in self.answers:
            return 200, self.answers[path]
        if path == '/events':
            if len(body) > self.body_limit:
                return 400, {'message': 'The request body is larger than the allowed {0} bytes'.format(self.body_limit)}
            if any(self.refused and self.refused in log['message']['text'] for log in data['logs']):
                return 400, {'message': 'no such text here'}
            self.logs += data['logs']
            self.events += data['events']
            return 201, None
        if path == '/nodes':
            found = [row for name, row in self.nodes.items() if query.get('id') in (None, name)]
            return 200, {'items': found, 'metadata': {}}
        if path == '/node-instances':
            return 200, {'items': list(self.instances.values()), 'metadata': {}}
        if path == '/evaluate/functions':
            return 200, {'deployment_id': 'd', 'payload': self.evaluate(data['payload'], data['context'])}
        kind, _, name = path.lstrip('/').partition('/')
        if kind == 'blueprints' and name in self.blueprints:
            return 200, self.blueprints[name]
        if kind != 'node-instances' or name not in self.instances:
            return missing
        row = self.instances[name]
        if method == 'PATCH':
            if row['version'] > data['version']:
                return 409, {'message': 'Node instance update conflict', 'error_code': 'conflict_error'}
            row = self.instances[name] = dict(
                row, runtime_properties=data['runtime_properties'], version=row['version'] + 1)
        return 200, row
