import os

from tests.operation import OperationCase

PLUGIN = '''
from cloudify.decorators import operation, serial_operation

def plain(**kwargs):
    return sorted(kwargs)

@operation(resumable=True)
def resumable(ctx, **_):
    return ctx.resume

@operation
def echo(ctx, **kwargs):
    return kwargs

@serial_operation()
def in_turn(ctx, **_):
    return 'ran'

class Group:
    @staticmethod
    def member(**_):
        return 'member'
'''


class Dispatch(OperationCase):
    def setUp(self):
        super().setUp()
        with open(os.path.join(self.folder, 'myplugin.py'), 'w') as target:
            target.write(PLUGIN)

    def call(self, function, kwargs=None, **fields):
        return self.run_operation(kwargs, {'PYTHONPATH': self.folder}, task_name='myplugin.' + function, **fields)

    def test_functions_are_called_with_their_inputs_and_ctx(self):
        self.assertEqual(self.call('plain', {'a': 1})['payload'], ['a', 'ctx'])
        self.assertEqual(self.call('plain', {'a': 1}, no_ctx_kwarg=True)['payload'], ['a'])
        self.assertEqual(self.call('Group.member')['payload'], 'member')

    def test_hooks_get_no_ctx(self):
        self.assertEqual(self.call('plain', {'a': 1}, type='hook')['payload'], ['a'])

    def test_only_resumable_operations_resume(self):
        self.assertIs(self.call('resumable', resume=True)['payload'], True)
        error = self.call('plain', resume=True)['payload']
        self.assertEqual((error['known_exception_type'], error['message']),
                         ('NonRecoverableError', 'Cannot resume - operation not resumable'))

    def test_intrinsic_functions_are_evaluated_in_the_scope_of_the_instance(self):
        self.manager.evaluate = lambda payload, scope: {'evaluated': payload, 'scope': scope}
        kwargs = {'a': {'get_attribute': ['SELF', 'x']}}
        self.assertEqual(self.call('echo', kwargs, has_intrinsic_functions=True)['payload'],
                         {'evaluated': kwargs, 'scope': {'self': 'web_1'}})
        related = {'node_id': 'db_1', 'node_name': 'db', 'is_target': False}
        self.assertEqual(self.call('echo', kwargs, has_intrinsic_functions=True, related=related)['payload']['scope'],
                         {'source': 'db_1', 'target': 'web_1', 'source_node': 'db', 'target_node': 'web'})

    def test_unknown_functions_and_modules_say_so(self):
        self.assertIn('myplugin has no nothing', self.call('nothing')['payload']['message'])
        error = self.run_operation(task_name='no_such_module.function')['payload']
        self.assertEqual(error['exception_type'], 'ModuleNotFoundError')
        self.assertEqual(self.call('plain', type='workflow'), {'type': 'result', 'payload': None})
        self.assertIn('Cannot resume - workflow not resumable',
                      self.call('plain', type='workflow', resume=True)['payload']['message'])

    def test_instances_take_turns(self):
        self.manager.instances['web_1']['index'] = 2
        self.manager.add('web_0', 'web', state='starting')
        self.assertEqual(self.call('in_turn')['payload']['exception_type'], 'CloudifySerializationRetry')
        self.manager.instances['web_0']['state'] = 'started'
        self.assertEqual(self.call('in_turn')['payload'], 'ran')
        self.manager.instances['web_0']['state'] = 'starting'
        self.assertEqual(self.call('in_turn', workflow_id='scale')['payload'], 'ran')

    def test_an_installed_sdk_wins(self):
        package = os.path.join(self.folder, 'cloudify')
        os.mkdir(package)
        open(os.path.join(package, '__init__.py'), 'w').close()
        with open(os.path.join(package, 'dispatch.py'), 'w') as target:
            target.write('import sys\nif __name__ == "__main__":\n'
                         '    open(sys.argv[1] + "/output.json", "w").write(\'{"type": "result", "payload": "theirs"}\')')
        self.assertEqual(self.call('plain')['payload'], 'theirs')
