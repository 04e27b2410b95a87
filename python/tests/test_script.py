import os
import signal
import subprocess
import tempfile
import time

from tests.operation import RUNTIME, OperationCase, context


class BashScript(OperationCase):
    def test_reads_properties_and_writes_runtime_properties(self):
        self.bash('ctx instance runtime-properties port $(ctx node properties port)\n'
                  "ctx instance runtime-properties ports @'[80, 443]'\n"
                  'ctx instance runtime-properties a.b.c deep\n'
                  'ctx instance runtime_properties seen "$(ctx node properties nested.list[1].a)"')
        self.assertEqual(self.runtime_properties(),
                         {'port': '8080', 'ports': [80, 443], 'a': {'b': {'c': 'deep'}}, 'seen': 'b'})

    def test_result_is_what_it_returns_or_null(self):
        self.assertEqual(self.bash("ctx returns @'{\"a\": 1}' @{}"), {'a': 1})
        self.assertEqual(self.bash('ctx returns text'), 'text')
        self.assertIsNone(self.bash('true'))

    def test_inputs_are_variables(self):
        self.assertEqual(
            self.bash('ctx returns "$TEXT/$NUMBER/$FLAG/$NOTHING/$LIST/$CTX"', TEXT='a b', NUMBER=1.5, FLAG=True,
                      NOTHING=None, LIST=[1, {'x': None}], process={'env': {'TEXT': 'over'}}),
            'over/1.5/true/None/[1, {"x": null}]/')

    def test_output_is_logged_by_lines_with_the_context_of_the_operation(self):
        self.bash('echo one; echo -n two; echo three >&2')
        self.assertEqual(sorted(text for text in self.manager.texts() if text.startswith('<')),
                         ['<err> three', '<out> one', '<out> two'])
        log = self.manager.logs[0]
        self.assertEqual(log['context'], {
            'blueprint_id': 'b', 'deployment_id': 'd', 'execution_id': 'e', 'workflow_id': 'install', 'task_id': 't',
            'task_name': 'script_runner.tasks.run', 'plugin': 'script', 'tenant': {'name': 'default_tenant'},
            'operation': 'cloudify.interfaces.lifecycle.create', 'node_id': 'web_1', 'node_name': 'web'})
        self.assertEqual(log['level'], 'info')
        self.assertIn('Process created, PID: ', log['message']['text'])
        self.assertTrue(any(' return_code=0): ' in text for text in self.manager.texts()))

    def test_much_output_is_logged_whole(self):
        self.bash('seq 1 20000')
        lines = [text for text in self.manager.texts() if text.startswith('<out> ')]
        self.assertEqual(lines, ['<out> {0}'.format(number) for number in range(1, 20001)])

    def test_a_failing_exit_code_is_recoverable_and_says_what_was_printed(self):
        error = self.error({'script_source': '#!/bin/bash\necho out; echo bad >&2; exit 7'})
        self.assertEqual(error['exception_type'], 'ProcessException')
        self.assertEqual(error['known_exception_type'], 'RecoverableError')
        self.assertRegex(error['message'], r'^command: /.*, exit_code: 7, stdout: out\n, stderr: bad\n$')

    def test_abort_and_retry(self):
        error = self.error({'script_source': '#!/bin/bash\nctx abort-operation "no way"; exit 3'})
        self.assertEqual((error['known_exception_type'], error['message']), ('NonRecoverableError', 'no way'))
        error = self.error({'script_source': '. ctx-sh\nctx retry-operation later @\'{"retry_after": 30}\'\ntouch ' +
                                             self.folder + '/went-on'})
        self.assertEqual(error['known_exception_type'], 'OperationRetry')
        self.assertEqual((error['message'], error['known_exception_type_args']), ('later', [30]))
        self.assertFalse(os.path.exists(self.folder + '/went-on'))
        error = self.error({'script_source': '#!/bin/bash\nctx returns 1\nctx returns 2 2>/dev/null'})
        self.assertEqual((error['known_exception_type'], error['message']),
                         ('NonRecoverableError', 'ctx may only abort or return once'))

    def test_operation_retry_counts_after_the_script_has_ended(self):
        error = self.error({'script_source': '#!/bin/bash\nctx operation retry wait 5\nctx returns ignored'})
        self.assertEqual((error['exception_type'], error['message']), ('OperationRetry', 'wait'))

    def test_a_script_that_ends_at_once_leaves_no_noise(self):
        self.assertEqual(self.start({'script_source': '#!/bin/sh\ntrue'}).stdout, '')

    def test_exactly_one_script_is_wanted(self):
        self.assertEqual(self.error({})['message'], 'Either script_path or script_source must be provided')
        self.assertEqual(self.error({'script_path': 'a', 'script_source': 'b'})['message'],
                         'Only provide script_path or script_source, not both')

    def test_script_of_the_blueprint_with_prefix_arguments_and_folder(self):
        self.manager.files['blueprints/default_tenant/b/scripts/run.sh'] = b'ctx returns "$0 $1 $2 $PWD $-"'
        result = self.run_operation({'script_path': 'scripts/run.sh', 'process': {
            'command_prefix': 'bash -x', 'args': ['one', 'two three'], 'cwd': '/'}})['payload']
        self.assertRegex(result, r'^/.*/run.sh one two / .*x')

    def test_a_deployments_own_file_comes_first(self):
        self.manager.files['blueprints/default_tenant/b/s.sh'] = b'ctx returns blueprint'
        self.manager.files['deployments/default_tenant/d/s.sh'] = b'ctx returns deployment'
        self.assertEqual(self.run_operation({'script_path': 's.sh'})['payload'], 'deployment')

    def test_files_of_imported_and_of_global_blueprints(self):
        self.manager.blueprints['b'] = {'tenant_name': 'owner', 'plan': {'namespaces_mapping': {'ns': 'other'}}}
        self.manager.files['blueprints/default_tenant/other/s.sh'] = b'ctx returns imported'
        self.manager.files['blueprints/owner/b/g.sh'] = b'ctx returns global'
        self.assertEqual(self.run_operation({'script_path': 'ns--s.sh'})['payload'], 'imported')
        self.assertEqual(self.run_operation({'script_path': 'g.sh'})['payload'], 'global')

    def test_a_missing_script_fails_for_good(self):
        self.manager.blueprints['b'] = {'tenant_name': 'default_tenant'}
        error = self.error({'script_path': 'none.sh'})
        self.assertEqual((error['known_exception_type'], error['append_message']), ('HttpException', True))
        self.assertEqual(error['known_exception_type_args'], ['none.sh', 404])

    def test_scripts_from_a_file_and_a_url(self):
        place = os.path.join(self.folder, 'a script.sh')
        with open(place, 'w') as target:
            target.write('#!/bin/sh\nctx returns file')
        self.manager.files['s.sh'] = b'ctx returns url'
        url = 'http://127.0.0.1:{0}/resources/s.sh?x=y'.format(self.manager.port)
        self.assertEqual(self.run_operation({'script_path': url})['payload'], 'url')
        os.rename(place, self.folder + '/a.sh')
        self.assertEqual(self.run_operation({'script_path': 'file://' + self.folder + '/a.sh'})['payload'], 'file')

    def test_a_daemon_survives_writes_on_and_does_not_hold_up_the_operation(self):
        with tempfile.TemporaryDirectory() as folder:
            self.bash('(while [ ! -e {0}/stop ]; do echo noise; echo noise >&2; sleep 0.02; done; touch {0}/stopped) &\n'
                      'echo $! > {0}/pid'.format(folder))
            with open(folder + '/pid') as source:
                pid = int(source.read())
            try:
                os.kill(pid, 0)
                open(folder + '/stop', 'w').close()
                self.wait_for(lambda: os.path.exists(folder + '/stopped'))
            finally:
                subprocess.run(['kill', '-9', str(pid)], stderr=subprocess.DEVNULL)

    def test_nothing_is_left_when_the_worker_dies(self):
        with tempfile.TemporaryDirectory() as folder:
            import json
            with open(self.folder + '/input.json', 'w') as target:
                json.dump({'cloudify_context': context(), 'kwargs': {
                    'script_source': '#!/bin/bash\necho $$ > {0}/part; mv {0}/part {0}/pid\nsleep 60'.format(folder)}},
                    target)
            child = subprocess.Popen(
                ['python3', '-u', RUNTIME + '/run_operation.py', self.folder], stdin=subprocess.PIPE,
                env=dict(os.environ, **self.manager.environment()), start_new_session=True)
            self.wait_for(lambda: os.path.exists(folder + '/pid'))
            with open(folder + '/pid') as source:
                pid = int(source.read())
            child.stdin.close()
            self.assertEqual(child.wait(), -signal.SIGKILL)
            self.wait_for(lambda: not running(pid))

    def wait_for(self, condition):
        limit = time.monotonic() + 20
        while not condition():
            self.assertLess(time.monotonic(), limit, 'it did not happen within 20 s')
            time.sleep(0.01)


def running(pid):
    try:
        with open('/proc/{0}/stat'.format(pid)) as source:
            return source.read().rsplit(')', 1)[1].split()[0] != 'Z'
    except OSError:
        return False
