import unittest
from unittest import mock

from cloudify.exceptions import NonRecoverableError, OperationRetry
from cloudify.mocks import MockCloudifyContext, MockContext, MockNodeContext, MockNodeInstanceContext
from cloudify.state import current_ctx
from cloudify_rest_client.exceptions import CloudifyClientError, ForbiddenWhileCancelling
from cloudify_types import polling, utils
from cloudify_types.component import polling as following
from cloudify_types.component.utils import no_rerun_on_resume, populate_runtime_with_wf_results
from cloudify_types.shared_resource import execute_shared_resource_workflow as shared
from cloudify_types.shared_resource.operations import connect_deployment, execute_workflow


class Types(unittest.TestCase):
    def setUp(self):
        self.ctx = MockCloudifyContext(node_id='c_1', node_name='c', deployment_id='d', runtime_properties={},
                                       properties={'client': {}, 'given': 'property'})
        self.ctx._logger = mock.Mock()
        current_ctx.set(self.ctx)
        self.addCleanup(current_ctx.clear)
        self.client = mock.Mock()
        slept = mock.patch('time.sleep')
        self.slept = slept.start()
        self.addCleanup(slept.stop)

    def test_polling(self):
        answers = iter([1, 2, 3])
        self.assertTrue(polling.poll_with_timeout(lambda: next(answers), -1, expected_result=3))
        self.assertEqual(self.slept.call_count, 2)
        self.assertFalse(polling.poll_with_timeout(lambda: False, timeout=0, interval=1))
        self.assertTrue(polling.poll_with_timeout(lambda: True, timeout=0))

    def test_uploads(self):
        self.client.blueprints.get.side_effect = [{'state': 'parsing'}, {'state': 'uploaded'}]
        polling.wait_for_blueprint_to_upload('b', self.client)
        self.client.blueprints.get.side_effect = [{'state': 'invalid', 'error': 'why'}]
        with self.assertRaisesRegex(NonRecoverableError, 'why'):
            polling.wait_for_blueprint_to_upload('b', self.client)

    def test_following_an_execution(self):
        self.client.executions.get.side_effect = [{'status': 'started'}, {'status': 'terminated'}]
        self.client.events.list.side_effect = [
            [{'message': 'one', 'level': 'warning'}, {'message': 'two'}], [{'message': 'three'}]]
        self.assertTrue(following.verify_execution_state(self.client, 'e', 'd', True, 'terminated'))
        self.assertEqual(self.ctx.instance.runtime_properties, {'received_events': {'e': 3}})
        self.assertEqual([one[0][0] for one in self.ctx.logger.log.call_args_list], [30, 20, 20])
        self.assertEqual([one[1]['_offset'] for one in self.client.events.list.call_args_list], [0, 2])
        self.client.executions.get.side_effect = [{'status': 'failed', 'error': 'boom'}]
        with self.assertRaisesRegex(NonRecoverableError, 'is failed: boom'):
            following.verify_execution_state(self.client, 'e', 'd', False, 'terminated')
        self.client.executions.get.side_effect = [{'status': 'started'}]
        with self.assertRaisesRegex(NonRecoverableError, 'within 0 s'):
            following.verify_execution_state(self.client, 'e', 'd', False, 'terminated', timeout=0)
        self.client.executions.list.side_effect = [[{'status': 'terminated'}], [{'status': 'queued'}]]
        self.assertTrue(following.is_all_executions_finished(self.client, 'd'))
        self.assertFalse(following.is_all_executions_finished(self.client))

    def test_results_that_are_remembered(self):
        calls = []

        @no_rerun_on_resume('made')
        def make(value):
            calls.append(value)
            return value
        self.assertEqual((make(1), make(2), calls), (1, 1, [1]))
        self.client.deployments.capabilities.get.return_value = {'capabilities': {'ip': 1}}
        populate_runtime_with_wf_results(self.client, 'd')
        self.assertEqual(self.ctx.instance.runtime_properties, {'made': 1, 'capabilities': {'ip': 1}})

    def test_failures_that_are_final(self):
        def fail(error):
            @utils.errors_nonrecoverable
            def function():
                raise error
            return function
        for error, expected in ((KeyError('x'), NonRecoverableError), (OperationRetry('x'), OperationRetry),
                                (ForbiddenWhileCancelling('x'), OperationRetry),
                                (CloudifyClientError('x'), NonRecoverableError)):
            with self.subTest(error), self.assertRaises(expected):
                fail(error)()

    def test_clients_and_inputs(self):
        self.assertEqual(utils.get_desired_operation_input('given', {'given': 'input'}), 'input')
        self.assertEqual(utils.get_desired_operation_input('given', {}), 'property')
        with mock.patch('cloudify.manager.get_rest_client', return_value='own'):
            self.assertEqual(utils.get_client({}), ('own', False))
        with mock.patch('cloudify_rest_client.client.CloudifyClient') as made:
            self.assertEqual(utils.get_client({'client': {'host': 'h'}}), (made.return_value, True))
            made.assert_called_once_with(host='h')
        self.assertEqual(utils.current_deployment_id(), 'd')
        self.client.deployments.get.side_effect = CloudifyClientError('x', status_code=404)
        self.assertIsNone(utils.get_deployment_by_id(self.client, 'd'))
        self.client.deployments.get.side_effect = CloudifyClientError('x', status_code=403)
        with self.assertRaises(CloudifyClientError):
            utils.get_deployment_by_id(self.client, 'd')

    def test_shared_resources(self):
        node = MockNodeContext('shared', {'resource_config': {'deployment': {'id': 'other'}}}, 'T')
        node.type_hierarchy = ['cloudify.nodes.SharedResource']
        current_ctx.set(MockCloudifyContext(
            deployment_id='d', source=MockContext(),
            target=MockContext({'node': node, 'instance': MockNodeInstanceContext('s_1')})))
        self.assertEqual(shared._get_target_shared_resource_client(), {})
        self.client.executions.start.return_value = {'id': 'e'}
        self.client.executions.get.return_value = {'status': 'terminated'}
        with mock.patch('cloudify.manager.get_rest_client', return_value=self.client):
            self.assertEqual(execute_workflow('run', {'a': 1}, redirect_logs=False), {'id': 'e'})
        self.assertEqual(self.client.executions.start.call_args[1]['deployment_id'], 'other')
        node.type_hierarchy = ['cloudify.nodes.Root']
        with self.assertRaisesRegex(NonRecoverableError, 'SharedResource'):
            execute_workflow('run')
        with self.assertRaisesRegex(NonRecoverableError, 'get_capability'):
            connect_deployment()
