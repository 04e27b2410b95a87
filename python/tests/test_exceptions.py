import copy
import pickle
import unittest

from cloudify import exceptions
from cloudify.error_handling import deserialize_known_exception, serialize_known_exception
from cloudify.exceptions import (
    CloudifySerializationRetry, CommandExecutionError, CommandExecutionException, HttpException, InvalidBlueprintImport,
    NonRecoverableError, OperationRetry, ProcessException, ProcessKillCancelled, RecoverableError, StopAgent,
    WorkflowFailed)


class Exceptions(unittest.TestCase):
    def test_bases(self):
        for kind, base in [(NonRecoverableError, Exception), (OperationRetry, RecoverableError),
                           (CloudifySerializationRetry, RecoverableError), (HttpException, NonRecoverableError),
                           (CommandExecutionError, RuntimeError), (CommandExecutionException, Exception),
                           (WorkflowFailed, RuntimeError), (InvalidBlueprintImport, RuntimeError),
                           (ProcessKillCancelled, NonRecoverableError), (StopAgent, Exception),
                           (exceptions.TimeoutException, Exception), (exceptions.PluginInstallationError, Exception),
                           (exceptions.ClosedAMQPClientException, Exception)]:
            self.assertEqual(kind.__bases__, (base,))
        self.assertFalse(issubclass(RecoverableError, NonRecoverableError))

    def test_are_the_same_after_pickling_and_copying(self):
        class Own(NonRecoverableError):
            def __init__(self, first, second):
                super().__init__('{0} and {1}'.format(first, second))
                self.first = first

        globals()['Own'] = Own
        Own.__qualname__ = 'Own'
        for error in [HttpException('u', 404, 'gone'), CommandExecutionError('c', 'e'), RecoverableError('a', retry_after=3),
                      CommandExecutionException('c', 'e', 'o', 2), ProcessException('c', 1, 'out', 'err'),
                      NonRecoverableError('a', 'b', causes=[{'message': 'm'}]), OperationRetry('x', 2), Own(1, 2)]:
            for same in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
                self.assertEqual((type(same), str(same), same.args, vars(same)),
                                 (type(error), str(error), error.args, vars(error)))

    def test_causes(self):
        cause = {'message': 'm', 'type': 'T', 'traceback': ''}
        for kind in (NonRecoverableError, RecoverableError, OperationRetry, StopAgent, WorkflowFailed,
                     InvalidBlueprintImport):
            self.assertEqual(kind('a').causes, [])
            self.assertEqual(kind('a', causes=[cause]).causes, [cause])
        self.assertEqual(NonRecoverableError('a', 'b').args, ('a', 'b'))

    def test_texts(self):
        self.assertEqual(str(HttpException('u', 404, 'gone')), '404 (u) : gone')
        error = OperationRetry('wait', retry_after=3)
        self.assertEqual((str(error), error.retry_after), ('wait [retry_after=3]', 3))
        self.assertEqual(str(RecoverableError(str(error), retry_after=3)), 'wait [retry_after=3]')
        self.assertEqual((str(RecoverableError()), RecoverableError().retry_after), ('', None))
        self.assertEqual(str(OperationRetry(message='a', retry_after=0)), 'a [retry_after=0]')
        self.assertTrue(WorkflowFailed('a', hide_traceback=True).hide_traceback)
        error = CommandExecutionException('c', 'e', 'o', 2)
        self.assertEqual((error.command, error.error, error.output, error.code), ('c', 'e', 'o', 2))
        self.assertIn('c', str(CommandExecutionError('c')))

    def test_there_and_back(self):
        for error in (NonRecoverableError('a'), RecoverableError('a', retry_after=2), OperationRetry('a', retry_after=4),
                      HttpException('u', 404, 'm'), StopAgent('a'), WorkflowFailed('a')):
            with self.subTest(error):
                again = deserialize_known_exception(serialize_known_exception(error))
                self.assertEqual((type(again), str(again)), (type(error), str(error)))
                self.assertEqual(getattr(again, 'retry_after', None), getattr(error, 'retry_after', None))
        try:
            raise ProcessException('c', 1, 'out', 'err')
        except ProcessException as error:
            again = deserialize_known_exception(serialize_known_exception(error, 'the trace'))
        self.assertIsInstance(again, RecoverableError)
        self.assertIn('exit_code: 1', str(again))
        self.assertEqual([(one['type'], one['traceback']) for one in again.causes], [('ProcessException', 'the trace')])
