"""Every method of the client, called with as little and with as much as it takes: what it sends.

`client_methods.txt` says it, a line for each: RESOURCE.METHOD(ARGUMENTS) | REQUEST | ANSWER.
- `name?` may be left out and is None then, `name=F` and `name=T` are False and True by default.
- `name*` is always sent, other names when they are given; `?a,b` is the query, `{a, b}` the JSON body.
- `→201` is the status of success; `BODY=`, `multipart` and `stream` say how bytes go over; `rootURL` and `unversioned`
  which prefix the path has.
"""
import inspect
import json
import os
import re
import tempfile
import unittest
from typing import NamedTuple
from unittest import mock

from cloudify_rest_client import CloudifyClient
from cloudify_rest_client.responses import Item, ListResponse

METHODS = os.path.join(os.path.dirname(__file__), 'client_methods.txt')
DEFAULTS = {'F': False, 'T': True}

# Arguments that exclude others, or mean a file.
SAMPLES = {
    'async_upload': False, 'labels': [{'key': 'value'}], 'filter_rules': [{'key': 'a'}], 'constraints': {'name_pattern': 'a'}, 'count': 2,
    'new_deployments': [{'id': 'a'}], 'deployment_ids': ['a'], 'ids': ['a'], 'update_dict': {'description': 'a'},
    '_include': ['id', 'name'], 'sort': 'name', 'logs': [{'a': 1}], 'events': [{'a': 1}], 'update': {'a': 1},
    'batch_size': 5000, 'timeout': 1, 'concurrency': 7,
}
FILES = ('path', 'blueprint_path', 'archive_location', 'archive_path', 'icon_path', 'snapshot_path', 'plugin_path',
         'license_path', 'src_file', 'ldap_ca_path')
FOLDERS = ('src_dir', 'local_dir', 'dst_dir')

# What the lines leave out, and why that is so.
ALSO = {
    'blueprints.list': {'_include', '_sort', '_filter_id'},  # two kinds of search exclude each other
    'deployments.list': {'_include', '_sort', '_filter_id'},
    'secrets.list': {'_sort'},
    'nodes.list': {'_include'},
    'operations.list': {'graph_id', '_offset', '_size', 'execution_id', 'state', 'skip_internal', '_include'},
    'tokens.create': {'description', 'expiration_date'},
    'executions.delete': {'to_datetime', 'keep_last'},
    'plugins.set_state': {'agent', 'manager', 'error'},
    'deployments.create': {'sub_environments_status'},
    'ldap.set': {'ldap_ca_cert'},
    'auditlog.list': {'offset', 'size'},
    'plugins_update.update_plugins': {'mapping'},
    'plugins.download': {'full_archive'},
    'blueprints.update': {'description'},
    # These lines were written without the smallest call.
    'plugins.install': {'action'},
    'execution_schedules.create': {
        'deployment_id', 'workflow_id', 'execution_arguments', 'parameters', 'since', 'until', 'recurrence', 'count',
        'weekdays', 'rrule', 'slip', 'stop_on_fail', 'enabled'},
    'nodes.get': {'_instance_context'},  # None is not part of a query
}


class Parameter(NamedTuple):
    name: str
    default: object  # inspect.Parameter.empty where it must be given
    is_rest: bool


class Sent(NamedTuple):
    verb: str
    path: str
    query: dict
    body: object
    headers: dict
    stream: bool


class Line(NamedTuple):
    name: str
    parameters: list
    request: str
    returns: str

    @property
    def status(self):
        return int((re.search('→([0-9]+)', self.request) or [0, 200])[1])


def lines():
    with open(METHODS, encoding='utf-8') as file:
        for line in file:
            call, request, returns = (part.strip() for part in line.split(' | '))
            name, arguments = call[:-1].split('(', 1)
            yield Line(name, [parameter(one) for one in arguments.split(', ') if one], request, returns)


def parameter(text):
    if text.startswith('*'):
        return Parameter(text.lstrip('*'), None, True)
    if text.endswith('?'):
        return Parameter(text[:-1], None, False)
    name, _, default = text.replace(' ', '').partition('=')
    if not default:
        return Parameter(name, inspect.Parameter.empty, False)
    return Parameter(name, DEFAULTS[default] if default in DEFAULTS else eval(default), False)


class Recorder:
    """A session that answers everything and keeps what it was asked."""

    def __init__(self, status, folder):
        self.sent = []
        self._status = status
        self._folder = folder

    def __getattr__(self, verb):
        def ask(url, data=None, params=None, headers=None, stream=False, verify=None, timeout=None):
            body = data.read() if hasattr(data, 'read') else data
            if isinstance(body, str):
                body = json.loads(body)
            path = re.sub('^http://manager:80', '', url)
            self.sent.append(Sent(verb.upper(), path, dict(params or {}), body, dict(headers), stream))
            return Answer(200 if path.endswith('/config') else self._status)
        return ask


class Answer:
    reason = 'OK'
    history = ()
    content = json.dumps({
        'items': [{'count': 3, 'name': 'blueprint_folder_max_files', 'value': 5}], 'deleted': 3, 'customer_id': 'c',
        'metadata': {'pagination': {'offset': 0, 'size': 1000, 'total': 1}}}).encode()

    def __init__(self, status):
        self.status_code = status
        self.headers = {'Content-Disposition': 'attachment; filename="it.zip"'}

    def json(self):
        return json.loads(self.content)

    def iter_content(self, _):
        return iter([b'bytes'])

    def close(self):
        pass


def found(client, name):
    for part in name.split('.'):
        client = getattr(client, part)
    return client


class Methods(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        self.folder = os.path.join(folder.name, 'blueprint')
        os.mkdir(self.folder)
        os.chdir(self.folder)
        self.file = os.path.join(self.folder, 'blueprint.yaml')
        with open(self.file, 'w') as file:
            file.write('content')

    def call(self, line, arguments):
        recorder = Recorder(line.status, self.folder)
        method = found(CloudifyClient('manager', tenant='T', session=recorder), line.name)
        with mock.patch('cloudify_rest_client.resources._extract'), mock.patch('tarfile.open'):
            return method(**arguments), recorder.sent

    def sample(self, name, default):
        if name in FILES:
            return '/resources/a/b.txt' if name == 'path' and default == 'get_file' else self.file
        if name in FOLDERS:
            return self.folder
        if name == 'output_file':
            return os.path.join(self.folder, 'out')
        if name in SAMPLES:
            return SAMPLES[name]
        if isinstance(default, bool):
            return not default
        return 'value-of-' + name

    def test_all_of_them(self):
        self.assertEqual(len(list(lines())), 256)

    def test_signatures(self):
        client = CloudifyClient('manager')
        for line in lines():
            if line.name in ('executions.start', 'auditlog.stream'):  # says more than `*args, **kwargs`
                continue
            with self.subTest(line.name):
                signature = inspect.signature(found(client, line.name)).parameters.values()
                own = [Parameter(one.name, None if one.kind is one.VAR_KEYWORD else one.default,
                                 one.kind is one.VAR_KEYWORD) for one in signature if one.kind is not one.KEYWORD_ONLY]
                self.assertEqual(own, line.parameters)

    def test_requests_with_as_little_as_possible(self):
        for line in lines():
            with self.subTest(line.name):
                self.check(line, [one for one in line.parameters if one.default is inspect.Parameter.empty], False)

    def test_requests_with_all_there_is(self):
        for line in lines():
            with self.subTest(line.name):
                # A search goes elsewhere; `count` is another way to say `new_deployments`.
                without = {'count', *(('filter_rules', 'constraints') if line.request.startswith('GET') else ())}
                if line.name == 'execution_schedules.create':
                    without = set()
                self.check(line, [one for one in line.parameters if not one.is_rest and one.name not in without], True)

    def check(self, line, parameters, is_all):
        kind = line.name.rpartition('.')[2]
        arguments = {one.name: self.sample(one.name, kind if kind == 'get_file' else one.default) for one in parameters}
        if line.name == 'executions.start':
            arguments = {'deployment_id': 'd', 'workflow_id': 'w'}
        if line.name in ('auditlog.async_client', 'auditlog.stream'):
            return
        answer, sent = self.call(line, arguments)
        if line.name not in ('manager.get_config', 'plugins.upload'):  # a list of what there are several of
            self.check_answer(line, answer)
        for name in set(os.listdir(self.folder)) - {'blueprint.yaml'}:
            os.remove(os.path.join(self.folder, name))
        if '(no request)' in line.request:
            self.assertEqual(sent, [])
            return
        expected = [wanted(part, line, is_all) for part in line.request.split(' + ')]
        if line.name == 'permissions.list' and not arguments:
            expected[0]['path'] = '/api/v3.1/permissions'
        if line.name == 'manager.get_config' and not arguments:
            expected[0]['path'] = '/api/v3.1/config'
        if line.name == 'blueprints.upload' and not is_all:
            expected[-1].update(query=set(), text='multipart')
        if line.name in ('node_instances.list', 'workflows.list') and not is_all:
            expected[0].update(verb='GET', path='/api/v3.1/' + line.name[:-5].replace('_', '-'))
        if line.name.startswith('blueprints.') and arguments.get('skip_size_limit', True):
            expected = expected[-1:]
        self.assertEqual([(one.verb, one.path) for one in sent], [
            (one['verb'], filled(one['path'], arguments)) for one in expected])
        for one, want in zip(sent, expected):
            given = {name for name, value in one.query.items() if value is not None}
            names = set(one.body) if isinstance(one.body, dict) else set()
            allowed = ALSO.get(line.name, set())
            self.assertEqual((given - allowed, names - allowed), (want['query'] - allowed, want['body'] - allowed))
            self.assertEqual(one.headers['Tenant'], 'T')
            self.assertEqual(one.stream, 'stream' in want['text'])
            is_form = 'multipart' in want['text']
            self.assertEqual(one.headers['Content-type'].startswith('multipart/form-data'), is_form)
            if is_form or 'BODY' in want['text']:
                self.assertIsInstance(one.body, bytes)

    def check_answer(self, line, answer):
        if line.returns == 'List':
            self.assertIsInstance(answer, ListResponse)
        elif line.returns == 'str':
            self.assertIsInstance(answer, str)
        elif line.returns[0].isupper() and line.returns not in ('Stream', 'None', '_GeneratorContextManager'):
            self.assertEqual(type(answer).__name__, line.returns)
            self.assertIsInstance(answer, Item)


def wanted(text, line, is_all):
    verb, path = text.split()[:2]
    after = text[text.index(path) + len(path):]
    if '?' in path and '{' not in path.rpartition('?')[2]:
        path = path.partition('?')[0]
    query = re.search(r' \?([\w.*,]+)', after)
    body = re.search(r' \{([^{}]*)\}', after)

    def names(found):
        given = [one.strip() for one in found[1].split(',')] if found else []
        return {one.rstrip('*') for one in given if one and (is_all or one.endswith('*'))}
    prefix = '' if 'rootURL' in text else '/api' if 'unversioned' in text else '/api/v3.1'
    return {'text': text, 'verb': verb, 'path': prefix + path, 'query': names(query), 'body': names(body)}


def filled(path, arguments):
    if path.startswith('{path'):
        return arguments['path']
    return re.sub(r'{(\w+)}', lambda name: str(arguments.get(name[1], 'd')), path)
