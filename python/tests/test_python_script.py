from tests.operation import OperationCase

HEAD = '''
from cloudify import ctx
from cloudify.state import ctx_parameters as inputs
from cloudify.exceptions import *
'''

WRITE_BEHIND = '''
from cloudify.manager import get_node_instance, update_node_instance
def write_behind(instance, key, value):
    other = get_node_instance(instance)
    other.runtime_properties[key] = value
    update_node_instance(other)
'''


FORKING = '''
import multiprocessing
from cloudify import ctx
ctx.logger.info('before')
answers = multiprocessing.get_context('fork').Queue()
def look():
    ctx.logger.info('in the child')
    answers.put([ctx.node.properties['port'], ctx.instance.runtime_properties.get('none')])
children = [multiprocessing.get_context('fork').Process(target=look) for _ in range(4)]
for child in children:
    child.start()
found = [[ctx.node.properties['port'], ctx.instance.runtime_properties.get('none')]] + [answers.get() for _ in children]
for child in children:
    child.join()
ctx.returns(found)
'''


class PythonScript(OperationCase):
    def failure(self, text, **fields):
        return self.error({'script_source': HEAD + text, 'process': {'eval_python': True}}, **fields)

    def test_runs_as_main_with_ctx_and_inputs(self):
        result = self.python(HEAD + '''
assert __name__ == '__main__'
import sys
assert sys.modules['__main__'].inputs is inputs
ctx.instance.runtime_properties['port'] = ctx.node.properties['port'] + inputs.more
ctx.instance.runtime_properties.setdefault('lost', 1)
ctx.logger.info('port %s', inputs['more'])
ctx.returns({'more': inputs.get('more')})
''', more=1)
        self.assertEqual(result, {'more': 1})
        self.assertEqual(self.runtime_properties()['port'], 8081)
        self.assertIn('port 1', self.manager.texts())

    def test_inline_text_that_parses_as_python_is_python(self):
        self.assertEqual(self.run_operation({'script_source': '''
            from cloudify import ctx
            ctx.returns(1)
        '''})['payload'], 1)

    def test_changes_below_the_top_level_are_not_noticed(self):
        self.manager.instances['web_1']['runtime_properties'] = {'a': {'b': 1}}
        self.python(HEAD + "ctx.instance.runtime_properties['a']['b'] = 2")
        self.assertEqual(self.runtime_properties(), {'a': {'b': 1}})
        self.assertNotIn('PATCH', [request[0] for request in self.manager.requests])

    def test_exceptions_keep_their_meaning(self):
        for text, name, known, arguments, message in [
                ("raise NonRecoverableError('a')", 'NonRecoverableError', 'NonRecoverableError', [], 'a'),
                ("raise RecoverableError('a', retry_after=3)", 'RecoverableError', 'RecoverableError', [3], 'a'),
                ("raise OperationRetry('a', 4)", 'OperationRetry', 'OperationRetry', [4], 'a'),
                ("ctx.operation.retry('a', retry_after=5)", 'OperationRetry', 'OperationRetry', [5], 'a'),
                ("ctx.retry_operation('a')", 'OperationRetry', 'OperationRetry', [None], 'a'),
                ("ctx.abort_operation('a')", 'NonRecoverableError', 'NonRecoverableError', [], 'a'),
                ("raise KeyError('a')", 'KeyError', 'RecoverableError', [None], "'a'"),
                ("import sys; sys.exit(2)", 'RecoverableError', 'RecoverableError', [None],
                 'The script ended itself with sys.exit(2)'),
                ("ctx.returns(object)", 'NonRecoverableError', 'NonRecoverableError', [],
                 'The operation returned a value that is not JSON: Object of type type is not JSON serializable'),
                ("ctx.returns({'a': float('nan')})", 'NonRecoverableError', 'NonRecoverableError', [],
                 'The operation returned a value that is not JSON: Out of range float values are not JSON compliant'),
                ("raise RecoverableError('a', retry_after=float('inf'))", 'RecoverableError', 'RecoverableError', [], 'a'),
                ("raise NonRecoverableError('a', causes=[{(1, 2): 3}])", 'NonRecoverableError', 'NonRecoverableError', [],
                 'a')]:
            with self.subTest(text):
                error = self.failure(text)
                self.assertEqual((error['exception_type'], error['known_exception_type'],
                                  error['known_exception_type_args'], error['message']),
                                 (name, known, arguments, message))
                self.assertEqual('traceback' in error, known != 'OperationRetry')

    def test_changes_are_stored_although_it_raised(self):
        self.failure("ctx.instance.runtime_properties['a'] = 1\nraise RuntimeError('boom')")
        self.assertEqual(self.runtime_properties(), {'a': 1})

    def test_a_conflict_at_the_end_is_recoverable(self):
        text = '''
from cloudify.manager import get_node_instance, update_node_instance
ctx.instance.runtime_properties['mine'] = 1
other = get_node_instance('web_1')
other.runtime_properties['theirs'] = 2
update_node_instance(other)
'''
        error = self.failure(text)
        self.assertEqual(error['known_exception_type'], 'RecoverableError')
        self.assertEqual(self.runtime_properties(), {'theirs': 2})

    def test_a_conflict_can_be_merged(self):
        self.python(HEAD + '''
from cloudify.manager import get_node_instance, update_node_instance
held = ctx.instance.runtime_properties
held['mine'] = 1
other = get_node_instance('web_1')
other.runtime_properties['theirs'] = 2
update_node_instance(other)
ctx.instance.update(on_conflict=lambda local, latest: dict(latest, **local))
held['after'] = 3
''')
        self.assertEqual(self.runtime_properties(), {'mine': 1, 'theirs': 2, 'after': 3})

    def test_who_merges_is_asked_first_and_at_every_conflict(self):
        self.manager.instances['web_1']['runtime_properties'] = {'count': 1, 'list': ['stored']}
        result = self.python(HEAD + WRITE_BEHIND + '''
import copy
calls = []
def merge(local, latest):
    calls.append(copy.deepcopy([dict(local), dict(latest)]))
    if len(calls) < 3:
        write_behind('web_1', 'theirs', len(calls))
    local['list'] += latest['list']
    return dict(latest, **local)
local = ctx.instance.runtime_properties
local['list'] = ['mine']
ctx.instance.update(on_conflict=merge)
ctx.returns([calls, local])
''')
        calls, local = result
        self.assertEqual([latest.get('theirs') for _, latest in calls], [None, 1, 2])
        self.assertEqual([own for own, _ in calls], [{'count': 1, 'list': ['mine']}] * 3)
        self.assertEqual(local, {'count': 1, 'theirs': 2, 'list': ['mine', 'stored']})
        self.assertEqual(self.runtime_properties(), local)

    def test_who_merges_is_asked_without_a_change_and_without_a_conflict(self):
        self.python(HEAD + "ctx.instance.update(lambda local, latest: {'asked': [local, latest]})")
        self.assertEqual(self.runtime_properties(), {'asked': [{}, {}]})

    def test_both_sides_of_a_relationship_can_be_merged(self):
        self.manager.add('db_1', 'db', runtime_properties={'port': 5432})
        self.python(HEAD + WRITE_BEHIND + '''
for side, name in ((ctx.source, 'web_1'), (ctx.target, 'db_1')):
    side.instance.runtime_properties['mine'] = name
    write_behind(name, 'theirs', name)
    side.instance.update(on_conflict=lambda local, latest: dict(latest, **local))
''', related={'node_id': 'db_1', 'node_name': 'db', 'is_target': True})
        self.assertEqual(self.runtime_properties(), {'mine': 'web_1', 'theirs': 'web_1'})
        self.assertEqual(self.runtime_properties('db_1'), {'port': 5432, 'mine': 'db_1', 'theirs': 'db_1'})

    def test_a_merge_that_fails_overwrites_nothing(self):
        for failure in ('raise ValueError(latest)', 'return None'):
            self.failure(WRITE_BEHIND + '''
ctx.instance.runtime_properties['mine'] = 1
write_behind('web_1', 'theirs', 2)
def merge(local, latest):
    {0}
ctx.instance.update(merge)
'''.format(failure))
            self.assertEqual(self.runtime_properties(), {'theirs': 2})

    def test_what_others_wrote_is_seen_after_an_update(self):
        self.assertEqual(self.python(HEAD + WRITE_BEHIND + '''
held = ctx.instance.runtime_properties
held['mine'] = 1
ctx.instance.update()
write_behind('web_1', 'theirs', 2)
ctx.returns([dict(ctx.instance.runtime_properties), held is ctx.instance.runtime_properties])
'''), [{'mine': 1, 'theirs': 2}, True])

    def test_the_target_of_a_relationship_is_not_merged_into(self):
        self.manager.add('db_1', 'db')
        self.manager.instances['web_1']['relationships'] = [
            {'type': 'cloudify.relationships.connected_to', 'target_id': 'db_1', 'target_name': 'db'}]
        error = self.failure('ctx.instance.relationships[0].target.instance.update(lambda local, latest: {"a": 1})')
        self.assertEqual(error['message'], 'Cannot modify runtime properties of relationship node instances')
        self.assertEqual(self.runtime_properties('db_1'), {})

    def test_relationship_targets_are_read_only(self):
        self.manager.add('db_1', 'db', runtime_properties={'port': 5432})
        self.manager.instances['web_1']['relationships'] = [
            {'type': 'cloudify.relationships.connected_to', 'target_id': 'db_1', 'target_name': 'db'}]
        self.assertEqual(self.python(HEAD + '''
target = ctx.instance.relationships[0].target
try:
    target.instance.runtime_properties['x'] = 1
except NonRecoverableError:
    ctx.returns([target.node.id, target.instance.runtime_properties['port'], ctx.capabilities['port']])
'''), ['db', 5432, 5432])

    def test_rest_client(self):
        self.assertEqual(self.python(HEAD + '''
from cloudify.manager import get_rest_client
from cloudify_rest_client.exceptions import CloudifyClientError
client = get_rest_client()
try:
    client.secrets.get('none')
except CloudifyClientError as error:
    ctx.returns([client.node_instances.get('web_1').node_id, [one.id for one in client.node_instances.list()],
                 client.nodes.get('d', 'web').properties['port'], error.status_code, error.error_code])
'''), ['web', ['web_1'], 8080, 404, 'not_found_error'])

    def test_requests_name_the_tenant_and_the_execution(self):
        self.python(HEAD + 'ctx.node.properties')
        headers = next(headers for method, path, _, headers in self.manager.requests if path == '/api/v3.1/nodes')
        self.assertEqual((headers['Tenant'], headers['Execution-Token']), ('default_tenant', 'secret'))

    def test_a_manager_that_is_away_for_a_while_is_waited_for(self):
        self.manager.failures = [503, 502, 500]
        self.assertEqual(self.python(HEAD + "ctx.returns(ctx.node.properties['port'])"), 8080)

    def test_processes_that_it_forks(self):
        for _ in range(5):
            self.assertEqual(self.python(FORKING), [[8080, None]] * 5)
        texts = self.manager.texts()
        self.assertEqual((texts.count('before'), texts.count('in the child')), (5, 20))

    def test_an_exception_without_a_text(self):
        failed = self.error({'script_source': HEAD + '''
class Odd(Exception):
    def __str__(self):
        raise ValueError('no text')
raise Odd()
''', 'process': {'eval_python': True}})
        self.assertEqual((failed['exception_type'], failed['known_exception_type']), ('Odd', 'RecoverableError'))
        self.assertIn("Odd (whose text cannot be had: ValueError('no text'))", failed['message'])

    def test_local_commands(self):
        self.assertEqual(self.python(HEAD + '''
from cloudify.utils import LocalCommandRunner, exception_to_error_cause
runner = LocalCommandRunner(ctx.logger)
try:
    runner.run('sh -c "echo bad >&2; exit 3"')
except CommandExecutionException as error:
    ctx.returns([runner.run('echo hi').std_out, error.code, error.error, exception_to_error_cause(error)['type']])
'''), ['hi', 3, 'bad', 'CommandExecutionException'])
