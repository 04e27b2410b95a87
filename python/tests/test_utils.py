import io
import logging
import os
import sys
import tarfile
import tempfile
import unittest
import zipfile
from datetime import datetime
from email import message_from_string
from unittest import mock

from cloudify import utils
from cloudify.compute import create_multi_mimetype_userdata
from cloudify.conflict_handlers import simple_merge_handler
from cloudify.decorators import operation, serial_operation, task, workflow
from cloudify.event import Event
from cloudify.exceptions import CloudifySerializationRetry, CommandExecutionException, NonRecoverableError
from cloudify.mocks import MockCloudifyContext
from cloudify.models_states import BlueprintUploadState, DeploymentState, ExecutionState
from cloudify.state import current_ctx, current_workflow_ctx
from cloudify.workflows.events import format_event_message, get_event_type


class Utils(unittest.TestCase):
    def setUp(self):
        self.addCleanup(current_ctx.clear)
        self.addCleanup(current_workflow_ctx.clear)

    def test_commands(self):
        runner = utils.LocalCommandRunner()
        done = runner.run('sh -c "echo out; echo err >&2"')
        self.assertEqual((done.std_out, done.std_err, done.return_code), ('out', 'err', 0))
        self.assertEqual(done.command, 'sh -c "echo out; echo err >&2"')
        self.assertEqual(runner.run(['printf', '%s', 'a b\n\n']).std_out, 'a b')
        self.assertEqual(runner.run(r'echo "C:\data x"').std_out, r'C:\data x')  # no escapes
        self.assertEqual(runner.run('sh -c "echo $GIVEN"', execution_env={'GIVEN': 'x'}, cwd='/').std_out, 'x')
        self.assertIsNone(runner.run('true', stdout_pipe=False, stderr_pipe=False).std_out)
        with self.assertRaises(CommandExecutionException) as raised:
            runner.run('sh -c "echo no >&2; exit 3"')
        self.assertEqual((raised.exception.code, raised.exception.error), (3, 'no'))
        logger = mock.Mock()
        self.assertEqual(utils.LocalCommandRunner(logger).run('false', exit_on_failure=False).return_code, 1)
        self.assertEqual(logger.error.call_count, 1)

    def test_causes(self):
        try:
            raise ValueError('x')
        except ValueError as error:
            cause = utils.exception_to_error_cause(error, sys.exc_info()[2])
        self.assertEqual((cause['message'], cause['type']), ('x', 'ValueError'))
        self.assertIn('test_causes', cause['traceback'])
        self.assertEqual(utils.exception_to_error_cause(KeyError('k'), None)['type'], 'KeyError')

    def test_loggers(self):
        logger = utils.setup_logger('test-utils')
        handler, = logger.handlers
        self.assertEqual((logger.level, handler.stream is sys.stdout, handler.formatter.datefmt, logger.propagate),
                         (logging.INFO, True, '%H:%M:%S', True))
        self.assertIs(utils.setup_default_logger, utils.setup_logger)
        own = logging.StreamHandler(io.StringIO())
        logger = utils.setup_logger('test-utils', logging.DEBUG, handlers=[own], logger_format='%(message)s')
        logger.debug('text')
        self.assertEqual((logger.handlers, own.stream.getvalue()), ([own], 'text\n'))

    def test_places(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, CFY_EXEC_TEMP=folder):
            self.assertEqual(utils.get_exec_tempdir(), folder)
            self.assertEqual(os.path.dirname(utils.create_temp_folder()), folder)
        with mock.patch.dict(os.environ, CFY_EXEC_TEMP='/no/such/folder'):
            self.assertEqual(utils.get_exec_tempdir(), tempfile.gettempdir())

    def test_environment(self):
        variables = {'REST_HOST': 'a, b', 'REST_PORT': '443', 'AGENT_NAME': 'x', 'MANAGER_NAME': 'm',
                     'LOCAL_REST_CERT_FILE': 'c', 'MANAGER_FILE_SERVER_SCHEME': 'http', 'MANAGER_FILE_SERVER_ROOT': '/r',
                     'CFY_RESOURCES_ROOT': '/l', 'BYPASS_MAINTENANCE': 'True', 'MGMTWORKER_HOME': '/m'}
        with mock.patch.dict(os.environ, variables):
            os.environ.pop('REST_PROTOCOL', None)
            self.assertEqual((utils.get_manager_rest_service_host(), utils.get_manager_ip(),
                              utils.get_manager_rest_service_port(), utils.get_manager_rest_service_protocol()),
                             (['a', 'b'], ['a', 'b'], 443, 'https'))
            self.assertEqual(utils.get_manager_file_server_url(),
                             ['http://a:443/resources', 'http://b:443/resources'])
            self.assertEqual((utils.get_daemon_name(), utils.get_manager_name(), utils.get_local_rest_certificate(),
                              utils.get_manager_file_server_root(), utils.get_local_resources_root(),
                              utils.get_is_bypass_maintenance(), utils.is_management_environment()),
                             ('x', 'm', 'c', '/r', '/l', True, True))
        self.assertEqual([utils.get_kerberos_indication(one) for one in (None, 'true', 'False')], [None, True, False])
        self.assertEqual((utils.ipv6_url_compat('::1'), utils.ipv6_url_compat('[::1]'), utils.ipv6_url_compat('a.b')),
                         ('[::1]', '[::1]', 'a.b'))

    def test_current_context(self):
        with self.assertRaises(RuntimeError):
            utils._get_current_context()
        workflow_ctx = mock.Mock(rest_token='w')
        current_workflow_ctx.set(workflow_ctx)
        self.assertEqual(utils.get_rest_token(), 'w')
        ctx = MockCloudifyContext(tenant={'name': 't'}, rest_token='o', execution_id='e')
        ctx.workflow_parameters = {'a': 1, 'ctx': 2}
        current_ctx.set(ctx)
        self.assertIs(utils._get_current_context(), ctx)
        self.assertEqual((utils.get_tenant_name(), utils.get_rest_token(), utils.get_execution_id(),
                          utils.get_execution_token(), utils.get_execution_creator_username(),
                          utils.get_workflow_parameters()), ('t', 'o', 'e', None, None, {'a': 1}))

    def test_internal(self):
        method = utils.internal.get_install_method
        self.assertEqual([method({'install_agent': False}), method({'install_agent': True}),
                          method({'agent_config': {'install_method': 'plugin'}}), method({})],
                         ['none', 'remote', 'plugin', None])
        self.assertEqual(utils.internal.get_broker_ssl_options(False, 'c'), {})
        self.assertEqual(utils.internal.get_broker_ssl_options(True, 'c')['ca_certs'], 'c')
        self.assertEqual(utils.internal.get_broker_credentials({'broker_user': 'u', 'broker_pass': 'p'}), ('u', 'p', '/'))

    def test_texts(self):
        self.assertRegex(utils.id_generator(), '^[A-Z0-9]{6}$')
        self.assertRegex(utils.id_generator(size=3, chars='x'), '^xxx$')
        self.assertEqual(len(utils.generate_user_password()), 32)
        self.assertEqual(len(utils.uuid4()), 36)
        self.assertEqual(utils.format_exception(ValueError('x')), 'ValueError: x')

    def test_functions_by_name(self):
        self.assertIs(utils.get_func('os.path.join'), os.path.join)
        for name in ('no_such_module.f', 'os.nothing', 'os.sep', 'alone'):
            with self.assertRaises(NonRecoverableError):
                utils.get_func(name)

    def test_output_of_others(self):
        logger = mock.Mock()
        consumer = utils.OutputConsumer(io.BytesIO(b'one\ntwo\n'), logger, '<out> ', ctx=MockCloudifyContext())
        consumer.join()
        self.assertEqual(consumer.output, ['one', 'two'])
        self.assertEqual(logger.info.call_args_list[1], mock.call('%s%s', '<out> ', 'two'))

    def test_archives(self):
        with tempfile.TemporaryDirectory() as folder:
            tar, zipped, evil = [os.path.join(folder, name) for name in ('a.tar.gz', 'a.zip', 'evil.tar')]
            with tarfile.open(tar, 'w:gz') as archive:
                archive.add(__file__, 'deep/file.py')
            with zipfile.ZipFile(zipped, 'w') as archive:
                archive.write(__file__, 'deep/file.py')
            for name in (tar, zipped):
                self.assertTrue(os.path.isfile(os.path.join(utils.extract_archive(name), 'deep', 'file.py')))
            with self.assertRaises(NonRecoverableError):
                utils.extract_archive(__file__)
            for name, kind, target in (('../out', tarfile.REGTYPE, ''), ('link', tarfile.SYMTYPE, '/etc'),
                                       ('hard', tarfile.LNKTYPE, '../../etc/passwd'), ('dev', tarfile.CHRTYPE, '')):
                with tarfile.open(evil, 'w') as archive:
                    member = tarfile.TarInfo(name)
                    member.type, member.linkname = kind, target
                    archive.addfile(member)
                with self.subTest(name), self.assertRaisesRegex(NonRecoverableError, 'not inside'):
                    utils.extract_archive(evil, os.path.join(folder, 'there'))

    def test_times_and_versions(self):
        base = datetime(2026, 1, 31, 10)
        relative = utils.parse_utc_datetime_relative
        self.assertEqual(relative('+1 day 2h', base), datetime(2026, 2, 1, 12))
        self.assertEqual(relative('-30 min', base), datetime(2026, 1, 31, 9, 30))
        self.assertEqual(relative('+1 month', base), datetime(2026, 2, 28, 10))
        self.assertIsNone(utils.parse_utc_datetime(None))
        self.assertEqual(utils.parse_utc_datetime('2026-11-22 10:00'), datetime(2026, 11, 22, 10))
        with self.assertRaises(NonRecoverableError):
            utils.parse_utc_datetime('soon')
        self.assertEqual(utils.parse_schedule_datetime_string('2026-11-22T10:00:00.000Z'), datetime(2026, 11, 22, 10))
        version = utils.ManagerVersion
        self.assertTrue(version('7.0.2') > version('6.4') and version('6.4').equals(version('6.4.0')))
        self.assertEqual(str(version('7.1.0-dev1')), '7.1.0')

    def test_patience(self):
        answers = [mock.Mock(state='a'), mock.Mock(state='b')]
        with mock.patch('time.sleep') as sleep:
            utils.wait_for(lambda key: answers.pop(0), 'x', 'state', 'b', RuntimeError, 'late')
            self.assertEqual(sleep.call_count, 1)
        with self.assertRaisesRegex(RuntimeError, 'late'):
            utils.wait_for(lambda key: {'state': 'a'}, 'x', 'state', 'b', RuntimeError, 'late', timeout=0)
        failures = [ConnectionError(), ConnectionError()]

        @utils.keep_trying_http()
        def call():
            if failures:
                raise failures.pop()
            return 'there'
        with mock.patch('time.sleep') as sleep:
            self.assertEqual(call(), 'there')
        self.assertEqual([one[0][0] for one in sleep.call_args_list], [1, 2])
        with self.assertRaises(ValueError):
            utils.keep_trying_http()(lambda: int('x'))()

    def test_plugins(self):
        with tempfile.TemporaryDirectory() as root, mock.patch.dict(os.environ, CFY_PLUGINS_ROOT=root):
            target = utils.target_plugin_prefix('p', 't', '1.0')
            self.assertEqual(target, os.path.join(root, 'plugins', 't', 'p', '1.0'))
            self.assertIsNone(utils.plugin_prefix('p', 't', '1.0'))
            os.makedirs(target)
            self.assertEqual(utils.plugin_prefix('p', 't', '1.0'), target)
            self.assertIn(os.path.join('source_plugins', 't', 'd', 'p', '0.0.0'),
                          utils.target_plugin_prefix('p', 't', deployment_id='d'))
        self.assertEqual(utils.extract_and_merge_plugins([{'name': 'a'}, {'name': 'b'}], [{'name': 'a'}]),
                         [{'name': 'a'}, {'name': 'b'}])
        self.assertEqual(utils.get_python_path('/v'), '/v/bin/python')

    def test_instances(self):
        client = mock.Mock()
        client.node_instances.list.return_value = [{'index': 2}, {'index': 1}]
        ctx = MockCloudifyContext(node_id='a_1', node_name='a', deployment_id='d')
        self.assertEqual(utils.get_instances_of_node(client, _ctx=ctx), [{'index': 1}, {'index': 2}])
        client.node_instances.list.assert_called_once_with(deployment_id='d', node_id='a')

    def test_states(self):
        self.assertEqual(ExecutionState.END_STATES, ['terminated', 'failed', 'cancelled'])
        self.assertEqual(ExecutionState.WAITING_STATES, ['scheduled', 'queued'])
        self.assertEqual((DeploymentState.GOOD, DeploymentState.REQUIRE_ATTENTION), ('good', 'requires_attention'))
        self.assertEqual(set(DeploymentState.EXECUTION_STATES_SUMMARY), set(ExecutionState.STATES))
        self.assertIn('uploaded', BlueprintUploadState.END_STATES)

    def test_merging(self):
        self.assertEqual(simple_merge_handler({'a': 1, 'b': 2}, {'b': 2, 'c': 3}), {'a': 1, 'b': 2, 'c': 3})
        with self.assertRaises(ValueError):
            simple_merge_handler({'a': 1}, {'a': 2})

    def test_events(self):
        self.assertEqual(format_event_message('n', 'RemoteWorkflowTask', 'sending'), "Sending task 'n'")
        self.assertEqual(format_event_message('n', 'SubgraphTask', 'started'), "Subgraph started 'n'")
        self.assertEqual(format_event_message('n', 'X', 'succeeded', result=3), "Task succeeded 'n' - 3")
        self.assertEqual(format_event_message('n', 'X', 'failed', exception='e', current_retries=1, total_retries=5),
                         "Task failed 'n' -> e [retry 1/5]")
        self.assertEqual(format_event_message('n', 'X', 'rescheduled', current_retries=1, total_retries=-1,
                                              postfix=' (dry run)'), "Task rescheduled 'n' [retry 1] (dry run)")
        self.assertEqual(get_event_type('failed'), 'task_failed')
        with self.assertRaises(RuntimeError):
            get_event_type('sent')
        event = Event({'type': 'cloudify_log', 'level': 'info', 'message': 'm', 'operation': 'a.b.create',
                       'node_instance_id': 'n_1', 'deployment_id': 'd', 'timestamp': 'T'})
        self.assertEqual(str(event), 'T INFO <d> [n_1.create] m')


class Userdata(unittest.TestCase):
    def parts(self, *texts):
        message = message_from_string(create_multi_mimetype_userdata(texts))
        return [(part.get_content_type(), part.get_filename(), part.get_payload(decode=True).decode())
                for part in message.walk() if not part.is_multipart()]

    def test_kinds(self):
        self.assertEqual(self.parts('#!/bin/bash\ntrue', '#cloud-config\na: ü', 'rem cmd\nx', '#ps1_sysnative\n',
                                    '#include-once\nu', '#include\nu', '#cloud-config-archive\n', '#cloud-boothook\n'), [
            ('text/x-shellscript', '000.sh', '#!/bin/bash\ntrue'), ('text/cloud-config', '001', '#cloud-config\na: ü'),
            ('text/x-shellscript', '002.cmd', 'rem cmd\nx'), ('text/x-shellscript', '003.ps1', '#ps1_sysnative\n'),
            ('text/x-include-once-url', '004', '#include-once\nu'), ('text/x-include-url', '005', '#include\nu'),
            ('text/cloud-config-archive', '006', '#cloud-config-archive\n'),
            ('text/cloud-boothook', '007', '#cloud-boothook\n')])

    def test_of_parts(self):
        inner = create_multi_mimetype_userdata(['#!/bin/sh\none', '#cloud-config\ntwo: 2'])
        self.assertEqual([text for _, _, text in self.parts(inner, '#!/bin/sh\nthree')],
                         ['#!/bin/sh\none', '#cloud-config\ntwo: 2', '#!/bin/sh\nthree'])

    def test_what_is_of_no_kind(self):
        with self.assertRaisesRegex(NonRecoverableError, 'hello'):
            create_multi_mimetype_userdata(['hello'])


class Decorators(unittest.TestCase):
    def test_marks(self):
        def plain(**_):
            return 1
        self.assertIs(operation(plain), plain)
        self.assertIs(plain.resumable, False)
        self.assertIs(operation(resumable=True)(plain), plain)
        self.assertIs(plain.resumable, True)
        self.assertIs(operation(func=plain, resumable=False, arbitrary=1), plain)
        self.assertIs(task, operation)
        workflow(system_wide=True, resumable=True)(plain)
        self.assertEqual((plain.workflow_system_wide, plain.resumable), (True, True))
        workflow(plain)
        self.assertEqual((plain.workflow_system_wide, plain.resumable), (False, False))

    def turn(self, found, index=2, workflow_id='install', **options):
        ctx = MockCloudifyContext(node_id='a_x', node_name='a', deployment_id='d', index=index)
        ctx.workflow_id = workflow_id

        @serial_operation(**options)
        def function(ctx, **_):
            return 'ran'
        with mock.patch('cloudify.manager.get_rest_client') as client:
            client.return_value.node_instances.list.return_value = [
                {'id': 'a_{0}'.format(position), 'index': position, 'state': state}
                for position, state in enumerate(found)]
            result = function(ctx=ctx)
            self.assertEqual(client.call_count, 1)
            return result, function.resumable

    def test_turns(self):
        self.assertEqual(self.turn(['started', 'started', 'starting']), ('ran', False))
        self.assertEqual(self.turn(['stopped', 'started', 'starting'], states=['stopped', 'started'], resumable=True),
                         ('ran', True))
        self.turn(['starting', 'starting', 'x'], workflow_id='scale')
        self.turn(['starting', 'starting', 'x'], index=0)
        with self.assertRaises(CloudifySerializationRetry):
            self.turn(['starting', 'started', 'x'])
        with self.assertRaises(CloudifySerializationRetry):
            self.turn(['starting'] * 3, workflow_id='scale', workflows=['scale'])

    def test_the_threshold(self):
        self.turn(['started', 'starting', 'x'], threshold=2)  # fewer than that are ready: nobody is held back
        with self.assertRaises(CloudifySerializationRetry):
            self.turn(['started', 'starting', 'x'], threshold=1)
