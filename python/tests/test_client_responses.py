"""What the client returns. `client_responses.txt` has a line for each class: MODULE.CLASS | PROPERTIES ; constants …
`name!` must be there, `a←b` reads another field, `=x` is the value where there is none (else None)."""
import importlib
import inspect
import os
import subprocess
import sys
import unittest
from unittest import mock

from cloudify_rest_client import CloudifyClient
from cloudify_rest_client.constants import VISIBILITY_EXCEPT_PRIVATE, VisibilityState
from cloudify_rest_client.responses import ListResponse, Metadata, Pagination
from cloudify_rest_client.utils import get_all

CLASSES = os.path.join(os.path.dirname(__file__), 'client_responses.txt')
# Read from one field that holds several things.
PARTS = {'containing_subgraph', 'info', 'direct_users', 'group_users', 'user_tenants', 'group_tenants'}


def classes():
    with open(CLASSES, encoding='utf-8') as file:
        for line in file:
            name, _, members = line.strip().partition(' |')
            properties, _, constants = members.partition(' ; constants ')
            module, kind = name.split('.')
            yield (getattr(importlib.import_module('cloudify_rest_client.' + module), kind),
                   [one.strip() for one in properties.split(', ') if one.strip()],
                   [one.strip() for one in constants.split(',') if one.strip()])


class Responses(unittest.TestCase):
    def test_every_class_has_its_properties(self):
        count = 0
        for kind, properties, constants in classes():
            for text in properties:
                name, _, default = text.partition('=')
                name, _, key = name.rstrip('!').partition('←')
                key = (key or name).rstrip('!')
                count += 1
                with self.subTest(kind=kind.__name__, property=name):
                    if name in PARTS:
                        continue
                    value = {'offset': 1} if name == 'pagination' else 7
                    self.assertEqual(getattr(kind({key: value}), name), value)
                    if text.endswith('!'):
                        self.assertRaises(KeyError, getattr, kind(), name)
                    elif kind not in (Metadata, Pagination):
                        self.assertEqual(getattr(kind(), name), eval(default) if default else None)
                    with self.assertRaises(AttributeError):
                        setattr(kind(), name, 1)
            for name in constants:
                self.assertTrue(hasattr(kind, name), name)
            self.assertFalse(hasattr(kind({'foreign': 1}), 'foreign'))
            self.assertEqual(kind({'a': 1}), {'a': 1})
        self.assertGreater(count, 300)

    def test_constants_of_executions(self):
        from cloudify_rest_client.executions import Execution
        self.assertEqual(Execution.END_STATES, ['terminated', 'failed', 'cancelled'])

    def test_what_is_read_from_parts_of_a_field(self):
        from cloudify_rest_client.operations import Operation
        from cloudify_rest_client.tenants import Tenant
        from cloudify_rest_client.users import User
        self.assertEqual(Operation({'parameters': {'info': 'i', 'containing_subgraph': 's'}}).info, 'i')
        self.assertIsNone(Operation().containing_subgraph)
        self.assertEqual(Tenant({'user_roles': {'direct': {'a': 'user'}}}).direct_users, {'a': 'user'})
        self.assertIsNone(User({'tenant_roles': None}).group_tenants)

    def test_parts_have_their_classes(self):
        from cloudify_rest_client.deployment_modifications import DeploymentModification
        from cloudify_rest_client.deployments import Deployment
        deployment = Deployment({'workflows': [{'name': 'install', 'parameters': {}}]})
        self.assertEqual((deployment.workflows[0].id, deployment.workflows[0].is_available), ('install', True))
        self.assertEqual(DeploymentModification(
            {'node_instances': {'added_and_related': [1]}}).node_instances.added_and_related, [1])

    def test_defaults_are_not_shared(self):
        from cloudify_rest_client.executions import Execution
        Execution().parameters['a'] = 1
        self.assertEqual(Execution().parameters, {})

    def test_a_list(self):
        found = ListResponse([3, 1, 2], {'pagination': {'offset': 0, 'size': 1000, 'total': 3}, 'filtered': None})
        self.assertEqual((len(found), found[0], list(found), found[1:]), (3, 3, [3, 1, 2], [1, 2]))
        self.assertEqual((found.metadata.pagination.total, found.metadata['pagination']['size']), (3, 1000))
        found.sort(reverse=True)
        self.assertEqual(found.items, [3, 2, 1])
        self.assertRaises(ValueError, found.one)
        self.assertEqual(ListResponse(['x'], {}).one(), 'x')
        self.assertEqual(ListResponse([], {}).metadata.pagination.total, 0)

    def test_visibility(self):
        self.assertEqual(VisibilityState.STATES, ['private', 'tenant', 'global'])
        self.assertEqual(VISIBILITY_EXCEPT_PRIVATE, ['tenant', 'global'])

    def test_all_pages(self):
        def method(path, params):
            items = list(range(7))[params['_offset']:][:3]
            return {'items': items, 'metadata': {'pagination': {'total': 7}}}
        self.assertEqual(list(get_all(method, '/numbers')), list(range(7)))


class Recorder:
    """A session that keeps what it is asked, and answers with nothing in particular."""

    def __init__(self):
        self.asked = []

    def __getattr__(self, verb):
        def ask(url, **request):
            self.asked.append((verb.upper(), url.replace('http://m:80/api/v3.1', ''), request))
            answer = mock.Mock(status_code=201 if verb == 'post' and url.endswith('executions') else 200, history=[],
                               content=b'{}')
            answer.json.return_value = {'items': [{'count': 3}], 'metadata': {'pagination': {'total': 0}}}
            return answer
        return ask


class Requests(unittest.TestCase):
    """Values, where the table of requests has names."""

    def asked(self, call):
        session = Recorder()
        call(CloudifyClient('m', session=session))
        verb, path, request = session.asked[-1]
        import json
        body = request['data']
        return verb, path, request['params'], json.loads(body) if isinstance(body, str) else body

    def test_lists(self):
        include = {'_include': 'id,name'}
        for call, expected in (
            (lambda c: c.deployments.list(['id', 'name'], 'x', True), ('GET', '/deployments', dict(include, _sort='-x'))),
            (lambda c: c.executions.list(sort='x'), (
                'GET', '/executions', {'_sort': 'x', '_include_system_workflows': False})),
            (lambda c: c.executions.list(include_system_workflows=True, status=['a', 'b']), (
                'GET', '/executions', {'status': ['a', 'b'], '_include_system_workflows': True})),
            (lambda c: c.nodes.list(node_id='n', evaluate_functions=True), (
                'GET', '/nodes', {'id': 'n', '_evaluate_functions': True})),
            (lambda c: c.node_instances.list(node_name='n', _size=3), (
                'GET', '/node-instances', {'node_id': 'n', '_size': 3})),
            (lambda c: c.blueprints.list(filter_id='f', _all_tenants=True), (
                'GET', '/blueprints', {'_filter_id': 'f', '_all_tenants': True})),
            (lambda c: c.blueprints.list(filter_rules=[1], sort='x'), (
                'POST', '/searches/blueprints', {'_sort': 'x'}, {'filter_rules': [1]})),
            (lambda c: c.secrets.list(constraints={'a': 1}), ('POST', '/searches/secrets', {}, {'constraints': {'a': 1}})),
            (lambda c: c.deployments.capabilities.list('d', constraints={'a': 1}, _search='x'), (
                'POST', '/searches/capabilities', {'_search': 'x'}, {'constraints': {'a': 1, 'deployment_id': 'd'}})),
            (lambda c: c.nodes.types.list('t', deployment_id='d'), (
                'POST', '/searches/node-types', {'_search': 't', 'deployment_id': 'd'}, {'constraints': {}})),
            (lambda c: c.node_instances.search(('a', 'b'), True), (
                'POST', '/searches/node-instances', {'_all_tenants': True}, {'filter_rules': [
                    {'key': 'id', 'values': ['a', 'b'], 'operator': 'any_of', 'type': 'attribute'}]})),
            (lambda c: c.deployments_labels.get_reserved_labels_keys(), (
                'GET', '/labels/deployments', {'_reserved': True})),
        ):
            self.assertEqual(self.asked(call), expected if len(expected) == 4 else expected + (None,))
        for name in ('blueprints', 'deployments', 'nodes', 'secrets'):
            with self.assertRaises(ValueError):
                self.asked(lambda c: getattr(c, name).list(filter_rules=[1], constraints={}))

    def test_executions(self):
        body = self.asked(lambda c: c.executions.start('d', 'install', {'a': 1}, dry_run=True))[3]
        self.assertEqual(body, {
            'deployment_id': 'd', 'workflow_id': 'install', 'parameters': {'a': 1}, 'allow_custom_parameters': 'false',
            'force': 'false', 'dry_run': 'true', 'queue': 'false', 'scheduled_time': None, 'wait_after_fail': 600,
            'force_status': None, 'created_by': None, 'created_at': None, 'started_at': None, 'ended_at': None,
            'id': None, 'is_system_workflow': None, 'error': None})
        for call, action in (
            (lambda c: c.executions.cancel('e'), 'cancel'), (lambda c: c.executions.cancel('e', True), 'force-cancel'),
            (lambda c: c.executions.cancel('e', kill=True), 'kill'), (lambda c: c.executions.resume('e'), 'resume'),
            (lambda c: c.executions.resume('e', True), 'force-resume'), (lambda c: c.executions.requeue('e'), 'requeue'),
        ):
            self.assertEqual(self.asked(call), ('POST', '/executions/e', {}, {'action': action}))

    def test_times(self):
        from datetime import datetime, timedelta, timezone
        at = datetime(2026, 1, 2, 3, 4, 5, 6, timezone(timedelta(hours=2)))
        self.assertEqual(self.asked(lambda c: c.executions.delete(to_datetime=at, _all_tenants=True)), (
            'DELETE', '/executions', {'_all_tenants': True}, {'to_datetime': '2026-01-02T01:04:05.000006Z'}))
        self.assertEqual(self.asked(lambda c: c.events.list(True, 'm%', to_datetime='now', _size=1))[2], {
            'type': ['cloudify_event', 'cloudify_log'], 'message.text': 'm%', '_range': '@timestamp,,now', '_size': 1})

    def test_node_instances_are_updated_at_version_1_unless_said(self):
        self.assertEqual(self.asked(lambda c: c.node_instances.update('i', runtime_properties={})), (
            'PATCH', '/node-instances/i', {}, {'runtime_properties': {}, 'version': 1}))
        self.assertEqual(self.asked(lambda c: c.node_instances.update('i', 'started', None, 7, True)), (
            'PATCH', '/node-instances/i', {'force': True}, {'state': 'started', 'version': 7}))

    def test_groups_in_batches(self):
        session = Recorder()
        CloudifyClient('m', session=session).deployment_groups.add_deployments(
            'g', ['a'], count=5, filter_id='f', batch_size=2)
        import json
        self.assertEqual([json.loads(request['data'])['add'] for _, _, request in session.asked], [
            {'deployment_ids': ['a'], 'new_deployments': [{}, {}], 'filter_id': 'f'}, {'new_deployments': [{}, {}]},
            {'new_deployments': [{}]}])

    def test_ids_lead_nowhere_else(self):
        self.assertEqual(self.asked(lambda c: c.secrets.get('a/../b?c#d'))[1], '/secrets/a%2F..%2Fb%3Fc%23d')
        for bad in ('', None, '.', '..'):
            with self.assertRaises(ValueError):
                self.asked(lambda c: c.secrets.delete(bad))
        with self.assertRaises(ValueError):
            self.asked(lambda c: c.resources.get_file('/resources/../api/v3.1/users'))

    def test_wrong_arguments(self):
        for call in (lambda c: c.sites.get(), lambda c: c.sites.get('a', 'b'), lambda c: c.sites.create('a', colour=1),
                     lambda c: c.deployments.create(blueprint_id='b')):
            self.assertRaises(TypeError, self.asked, call)
        self.assertRaises(AttributeError, self.asked, lambda c: c.spaceships.list())
        self.assertRaises(AttributeError, self.asked, lambda c: c.sites.paint('a'))


class Doubles(unittest.TestCase):
    """How the tests of plugins stand in for the client."""

    def test_autospec_knows_methods_and_arguments(self):
        client = mock.create_autospec(CloudifyClient('m'), instance=True)
        client.deployments.get.return_value = {'id': 'd'}
        self.assertEqual(client.deployments.get('d', all_sub_deployments=False), {'id': 'd'})
        client.deployments.outputs.get('d')
        self.assertRaises(TypeError, client.deployments.get)
        self.assertRaises(TypeError, client.deployments.get, 'd', spaceship=1)
        with self.assertRaises(AttributeError):
            client.deployments.paint

    def test_attributes_can_be_replaced(self):
        client = CloudifyClient('m')
        with mock.patch.object(client, 'deployments') as deployments:
            self.assertIs(client.deployments, deployments)
        client.secrets = mock.Mock()
        client.secrets.get('x')
        with mock.patch('cloudify_rest_client.sites.SitesClient.get', return_value=3):
            self.assertEqual(client.sites.get('x'), 3)
        self.assertIs(client.sites, client.sites)

    def test_help_shows_the_request(self):
        self.assertIn('PUT /sites/{name}', inspect.getdoc(CloudifyClient('m').sites.create))

    def test_importing_starts_nothing(self):
        found = subprocess.run([sys.executable, '-c', """
import cloudify_rest_client.client, cloudify_rest_client.cluster, threading, os
client = cloudify_rest_client.client.CloudifyClient('m', protocol='https')
client.deployments, client.executions
print(threading.active_count(), len(os.listdir('/proc/self/fd')))
"""], stdout=subprocess.PIPE, check=True, universal_newlines=True, cwd=os.path.dirname(os.path.dirname(CLASSES)))
        self.assertEqual(found.stdout.split(), ['1', '4'])
