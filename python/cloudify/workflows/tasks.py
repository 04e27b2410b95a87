"""Tasks of workflows (docs/reference/python-workflows.md, "Tasks")."""
import time
import uuid
from typing import Any, Callable, Dict, Iterable, Optional

from cloudify.constants import (
    TASK_FAILED, TASK_PENDING, TASK_RESCHEDULED, TASK_RESPONSE_SENT, TASK_SENDING, TASK_SENT, TASK_STARTED,
    TASK_SUCCEEDED, TERMINATED_STATES)
from cloudify.exceptions import NonRecoverableError, OperationRetry, RecoverableError
from cloudify.workflows.engine import needs_engine
from cloudify.workflows.handlers import HandlerResult, deserialize_handler, serialize_handler
from cloudify.workflows.task_results import WorkflowTaskResult

INFINITE_TOTAL_RETRIES = -1
DEFAULT_TOTAL_RETRIES = INFINITE_TOTAL_RETRIES
DEFAULT_RETRY_INTERVAL = 30  # seconds
DEFAULT_SUBGRAPH_TOTAL_RETRIES = 0
DEFAULT_SEND_TASK_EVENTS = True
DISPATCH_TASK = 'cloudify.dispatch.dispatch'

_STATES = (TASK_PENDING, TASK_SENDING, TASK_SENT, TASK_STARTED, TASK_RESCHEDULED, TASK_RESPONSE_SENT, TASK_SUCCEEDED,
           TASK_FAILED)

__all__ = [
    'DEFAULT_RETRY_INTERVAL', 'DEFAULT_SEND_TASK_EVENTS', 'DEFAULT_SUBGRAPH_TOTAL_RETRIES', 'DEFAULT_TOTAL_RETRIES',
    'DISPATCH_TASK', 'DryRunLocalWorkflowTask', 'GetNodeInstanceStateTask', 'HandlerResult', 'INFINITE_TOTAL_RETRIES',
    'LocalWorkflowTask', 'NOPLocalWorkflowTask', 'RemoteWorkflowTask', 'SendNodeEventTask', 'SendWorkflowEventTask',
    'SetNodeInstanceStateTask', 'TASK_FAILED', 'TASK_PENDING', 'TASK_RESCHEDULED', 'TASK_RESPONSE_SENT',
    'TASK_SENDING', 'TASK_SENT', 'TASK_STARTED', 'TASK_SUCCEEDED', 'TERMINATED_STATES', 'UpdateExecutionStatusTask',
    'WorkflowTask', 'WorkflowTaskResult',
]


def _named_handler(handler: Any) -> Optional[Dict[str, Any]]:
    try:
        return serialize_handler(handler)
    except NonRecoverableError:
        return {'path': getattr(handler, '__qualname__', None) or type(handler).__name__}


class WorkflowTask:
    """Two are equal when their ids are, and equal to that id."""

    name: str = ''

    def __init__(self, workflow_context: Any, task_id: Optional[str] = None, info: Any = None,
                 on_success: Optional[Callable[..., Any]] = None, on_failure: Optional[Callable[..., Any]] = None,
                 total_retries: int = DEFAULT_TOTAL_RETRIES, retry_interval: float = DEFAULT_RETRY_INTERVAL,
                 timeout: Optional[float] = None, timeout_recoverable: Optional[bool] = None,
                 send_task_events: bool = DEFAULT_SEND_TASK_EVENTS) -> None:
        self.id = task_id or str(uuid.uuid4())
        self.workflow_context = workflow_context
        self.info = info
        self.on_success = on_success
        self.on_failure = on_failure
        self.total_retries = total_retries
        self.retry_interval = retry_interval
        self.timeout = timeout
        self.timeout_recoverable = timeout_recoverable
        self.send_task_events = send_task_events
        self.async_result = WorkflowTaskResult(self)
        self.is_terminated = False
        self.containing_subgraph: Any = None
        self.current_retries = 0
        self.execute_after: Optional[float] = None  # seconds since 1970
        self.retried_task: Optional[str] = None
        self.stored = False
        self.error: Any = None
        self.dependency_error: Any = None
        self._state = TASK_PENDING

    @property
    def task_type(self) -> str:
        return type(self).__name__

    @property
    def short_description(self) -> str:
        return self.name

    @property
    def cloudify_context(self) -> Dict[str, Any]:
        return {}

    @property
    def is_subgraph(self) -> bool:
        return False

    def is_local(self) -> bool:
        return not self.is_remote()

    def is_remote(self) -> bool:
        return False

    def is_nop(self) -> bool:
        return False

    def get_state(self) -> str:
        return self._state

    def set_state(self, state: str, result: Any = None, exception: Any = None) -> None:
        """Raises RuntimeError for what is no state. A task that has ended stays as it ended."""
        if state not in _STATES:
            raise RuntimeError('Illegal state "{0}" of task {1}'.format(state, self.id))
        if self.is_terminated:
            return
        self._state = state
        if state in TERMINATED_STATES:
            self.is_terminated = True
            self.error = exception
            self.async_result.result = exception if exception is not None else result

    def apply_async(self) -> WorkflowTaskResult:
        """Starts it."""
        raise NotImplementedError('{0}.apply_async'.format(type(self).__name__))

    # ---- where a worker runs the graph

    def call(self) -> Any:
        """Does, in this process and this thread, what it is there for."""
        return self.apply_async().get(retry_on_failure=False)

    def end(self, state: str, result: Any, error: Any) -> None:
        """The worker says how it has ended, after all that was to be tried."""
        if self.is_terminated:
            return
        self._state = state
        self.is_terminated = True
        self.error = error
        self.async_result.result = result if error is None else error

    def show(self, result: Any, error: Any) -> None:
        """To its handler: how it has ended this time."""
        self._state = TASK_SUCCEEDED if error is None else TASK_FAILED
        self.error = error
        self.async_result.show(result if error is None else error)

    def hide(self) -> None:
        self._state, self.error = TASK_STARTED, None
        self.async_result.hide()

    def described(self, dependencies: Iterable[str] = ()) -> Dict[str, Any]:
        """As the worker is told of it. Its handlers stay here, so they need no names."""
        return dict(self._dump(_named_handler), dependencies=sorted(dependencies))

    def _engine(self) -> Any:
        internal = getattr(self.workflow_context, 'internal', None)
        return getattr(internal, 'engine', None)

    def handle_task_terminated(self) -> HandlerResult:
        """What its handlers say; `retried_task` is a new task when it is to be tried again."""
        if self._state == TASK_SUCCEEDED:
            return self.on_success(self) if self.on_success else HandlerResult.cont()
        answer = self._answer_to_failure()
        if answer.action != HandlerResult.HANDLER_RETRY:
            return answer
        if not (answer.ignore_total_retries or self.total_retries == INFINITE_TOTAL_RETRIES
                or self.current_retries < self.total_retries):
            return HandlerResult.fail()
        if answer.retried_task is None:
            pause = self.retry_interval if answer.retry_after is None else answer.retry_after
            answer.retried_task = self.duplicate_for_retry(time.time() + pause)
        return answer

    def _answer_to_failure(self) -> HandlerResult:
        error = self.error
        if isinstance(error, OperationRetry):  # a wish, not a failure: nobody else is asked
            return HandlerResult.retry(retry_after=error.retry_after)
        if self.on_failure:
            answer = self.on_failure(self)
        elif isinstance(error, NonRecoverableError):
            return HandlerResult.fail()
        else:
            answer = HandlerResult.retry()
        if (answer.action == HandlerResult.HANDLER_RETRY and answer.retry_after is None
                and isinstance(error, RecoverableError)):
            answer.retry_after = error.retry_after
        return answer

    def duplicate_for_retry(self, execute_after: float) -> 'WorkflowTask':
        duplicate = self._duplicate()
        duplicate.on_success, duplicate.on_failure = self.on_success, self.on_failure
        duplicate.timeout, duplicate.timeout_recoverable = self.timeout, self.timeout_recoverable
        duplicate.execute_after = execute_after
        duplicate.current_retries = self.current_retries + 1
        duplicate.retried_task = self.id
        duplicate.containing_subgraph = self.containing_subgraph
        return duplicate

    def _duplicate(self) -> 'WorkflowTask':
        raise NotImplementedError('{0}._duplicate'.format(type(self).__name__))

    def _common(self) -> Dict[str, Any]:
        return {'info': self.info, 'total_retries': self.total_retries, 'retry_interval': self.retry_interval,
                'send_task_events': self.send_task_events}

    # ---- stored

    def _task_kwargs(self) -> Dict[str, Any]:
        return {}

    def dump(self) -> Dict[str, Any]:
        return self._dump(serialize_handler)

    def _dump(self, serialized: Callable[[Any], Any]) -> Dict[str, Any]:
        subgraph = self.containing_subgraph
        return {
            'id': self.id, 'name': self.name, 'state': self._state, 'type': self._stored_type(),
            'parameters': dict(
                self._common(), current_retries=self.current_retries, retried_task=self.retried_task,
                error=None if self.error is None else str(self.error),
                containing_subgraph=None if subgraph is None else subgraph.id,
                on_success=serialized(self.on_success), on_failure=serialized(self.on_failure),
                task_kwargs=self._task_kwargs())}

    def _stored_type(self) -> str:
        """A class of a plugin is found by its path."""
        kind = type(self)
        is_own = kind.__module__.startswith('cloudify.workflows.')
        return self.task_type if is_own else '{0}.{1}'.format(kind.__module__, kind.__qualname__)

    @classmethod
    def restore(cls, ctx: Any, graph: Any, task_descr: Any) -> 'WorkflowTask':
        """From what `dump` gave, by way of the manager."""
        parameters = task_descr['parameters']
        task = cls._restored(ctx, graph, task_descr, dict(parameters.get('task_kwargs') or {}))
        task.info = parameters.get('info')
        task.total_retries = parameters.get('total_retries', DEFAULT_TOTAL_RETRIES)
        task.retry_interval = parameters.get('retry_interval', DEFAULT_RETRY_INTERVAL)
        task.send_task_events = parameters.get('send_task_events', DEFAULT_SEND_TASK_EVENTS)
        task.current_retries = parameters.get('current_retries', 0)
        task.retried_task = parameters.get('retried_task')
        task.on_success = deserialize_handler(parameters.get('on_success'))
        task.on_failure = deserialize_handler(parameters.get('on_failure'))
        task.stored = True
        task._state = task_descr['state']
        task.is_terminated = task._state in TERMINATED_STATES
        return task

    @classmethod
    def _restored(cls, ctx: Any, graph: Any, task_descr: Any, task_kwargs: Dict[str, Any]) -> 'WorkflowTask':
        return cls(workflow_context=ctx, task_id=task_descr['id'], **task_kwargs)

    def __hash__(self) -> int:
        return hash(self.id)

    def __eq__(self, other: Any) -> bool:
        return self.id == (other.id if isinstance(other, WorkflowTask) else other)

    def __repr__(self) -> str:
        return '<{0} {1}: {2}>'.format(type(self).__name__, self.id, self.name)


class RemoteWorkflowTask(WorkflowTask):
    """An operation that a worker or an agent runs."""

    def __init__(self, kwargs: Dict[str, Any], cloudify_context: Dict[str, Any], workflow_context: Any,
                 task_id: Optional[str] = None, task_queue: Optional[str] = None, task_target: Optional[str] = None,
                 **options: Any) -> None:
        super().__init__(workflow_context, task_id, **options)
        self.kwargs = kwargs
        self._cloudify_context = cloudify_context
        self.queue = task_queue
        self.target = task_target

    @property
    def name(self) -> str:  # type: ignore[override]
        return self._cloudify_context.get('task_name') or ''

    @property
    def short_description(self) -> str:
        operation = (self._cloudify_context.get('operation') or {}).get('name')
        instance = self._cloudify_context.get('node_id')
        return '{0} ({1}:{2})'.format(self.name, instance, operation) if operation else self.name

    @property
    def cloudify_context(self) -> Dict[str, Any]:
        return self._cloudify_context

    def is_remote(self) -> bool:
        return True

    def apply_async(self) -> WorkflowTaskResult:
        engine = self._engine()
        if engine is None:
            raise needs_engine('Sending operation {0} to a worker'.format(self.short_description), 'start the workflow there')
        return engine.start(self)

    def _duplicate(self) -> WorkflowTask:
        return RemoteWorkflowTask(self.kwargs, self._cloudify_context, self.workflow_context, task_queue=self.queue,
                                  task_target=self.target, **self._common())

    @classmethod
    def _restored(cls, ctx: Any, graph: Any, task_descr: Any, task_kwargs: Dict[str, Any]) -> WorkflowTask:
        inputs = dict(task_kwargs.get('kwargs') or {})
        context = inputs.pop('__cloudify_context', None)
        own = {key: ctx._context[key] for key in ('execution_token', 'rest_token') if ctx._context.get(key)}
        return RemoteWorkflowTask(
            inputs, dict(task_kwargs.get('cloudify_context') or context or {}, **own), ctx, task_descr['id'],
            task_kwargs.get('task_queue'), task_kwargs.get('task_target', task_kwargs.get('target')))

    def _task_kwargs(self) -> Dict[str, Any]:
        context = {key: value for key, value in self._cloudify_context.items()
                   if key not in ('execution_token', 'rest_token')}
        return {'kwargs': dict(self.kwargs, __cloudify_context=context), 'cloudify_context': context,
                'task_queue': self.queue, 'task_target': self.target}


class LocalWorkflowTask(WorkflowTask):
    """A function that runs in a thread of the workflow's own process."""

    def __init__(self, local_task: Optional[Callable[..., Any]], workflow_context: Any, node: Any = None,
                 info: Any = None, total_retries: int = DEFAULT_TOTAL_RETRIES,
                 retry_interval: float = DEFAULT_RETRY_INTERVAL, send_task_events: bool = DEFAULT_SEND_TASK_EVENTS,
                 kwargs: Optional[Dict[str, Any]] = None, task_id: Optional[str] = None, name: Optional[str] = None
                 ) -> None:
        super().__init__(workflow_context, task_id, info, total_retries=total_retries, retry_interval=retry_interval,
                         send_task_events=send_task_events)
        self.local_task = local_task
        self.node = node
        self.kwargs = kwargs or {}
        self._name = name or getattr(local_task, '__name__', None) or ''

    @property
    def name(self) -> str:  # type: ignore[override]
        return self._name

    @property
    def cloudify_context(self) -> Dict[str, Any]:
        return self.kwargs.get('__cloudify_context') or {}

    def apply_async(self) -> WorkflowTaskResult:
        engine = self._engine()
        if engine is not None:
            return engine.start(self)
        self.set_state(TASK_SENT)
        self.workflow_context.internal.run_local(self._run)
        return self.async_result

    def call(self) -> Any:
        # Restored tasks have lost their function: what it did before is all it does.
        return self.local_task(**self.kwargs) if self.local_task else None

    def _run(self) -> None:
        self.set_state(TASK_STARTED)
        try:
            result = self.call()
        except OperationRetry as error:
            self.set_state(TASK_RESCHEDULED, exception=error)
        except Exception as error:
            self.set_state(TASK_FAILED, exception=error)
        else:
            self.set_state(TASK_SUCCEEDED, result)

    def _duplicate(self) -> WorkflowTask:
        return LocalWorkflowTask(self.local_task, self.workflow_context, self.node, kwargs=self.kwargs,
                                 name=self.name, **self._common())

    def _task_kwargs(self) -> Dict[str, Any]:
        return {'name': self.name}

    @classmethod
    def _restored(cls, ctx: Any, graph: Any, task_descr: Any, task_kwargs: Dict[str, Any]) -> WorkflowTask:
        return LocalWorkflowTask(None, ctx, task_id=task_descr['id'], name=task_descr['name'])


class _AtOnce(WorkflowTask):
    """Done when it is started, in the thread that starts it: no events, no retries."""

    def __init__(self, workflow_context: Any, task_id: Optional[str] = None, total_retries: int = 0,
                 send_task_events: bool = False, **options: Any) -> None:
        super().__init__(workflow_context, task_id, total_retries=total_retries, send_task_events=send_task_events,
                         **options)

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.task_type

    def call(self) -> Any:
        return self._do()

    def apply_async(self) -> WorkflowTaskResult:
        engine = self._engine()
        if engine is not None:
            return engine.start(self)
        try:
            result = self._do()
        except Exception as error:
            self.set_state(TASK_FAILED, exception=error)
        else:
            self.set_state(TASK_SUCCEEDED, result)
        return self.async_result

    def _do(self) -> Any:
        """Nothing."""

    def _duplicate(self) -> WorkflowTask:
        return type(self)(self.workflow_context, **dict(self._task_kwargs(), **self._common()))


class NOPLocalWorkflowTask(_AtOnce):
    """Stands where there is nothing to do."""

    @property
    def name(self) -> str:  # type: ignore[override]
        return 'NOP'

    def is_nop(self) -> bool:
        return True


class DryRunLocalWorkflowTask(LocalWorkflowTask):
    """A task of an execution that only shows what it would do."""

    def apply_async(self) -> WorkflowTaskResult:
        self.set_state(TASK_SENT)
        self.set_state(TASK_STARTED)
        self.set_state(TASK_SUCCEEDED)
        return self.async_result


class SetNodeInstanceStateTask(_AtOnce):
    def __init__(self, workflow_context: Any, node_instance_id: Optional[str] = None, state: Optional[str] = None,
                 **options: Any) -> None:
        super().__init__(workflow_context, **options)
        self._node_instance_id = node_instance_id
        self._state_to_set = state

    def _do(self) -> Any:
        self.workflow_context.update_node_instance(self._node_instance_id, state=self._state_to_set, force=True)

    def _task_kwargs(self) -> Dict[str, Any]:
        return {'node_instance_id': self._node_instance_id, 'state': self._state_to_set}


class GetNodeInstanceStateTask(_AtOnce):
    def __init__(self, workflow_context: Any, node_instance_id: Optional[str] = None, **options: Any) -> None:
        super().__init__(workflow_context, **options)
        self._node_instance_id = node_instance_id

    def _do(self) -> Any:
        return self.workflow_context.internal.handler.get_node_instance(self._node_instance_id)['state']

    def _task_kwargs(self) -> Dict[str, Any]:
        return {'node_instance_id': self._node_instance_id}


class SendNodeEventTask(_AtOnce):
    def __init__(self, workflow_context: Any, node_instance_id: Optional[str] = None, event: Any = None,
                 additional_context: Optional[Dict[str, Any]] = None, **options: Any) -> None:
        super().__init__(workflow_context, **options)
        self._node_instance_id = node_instance_id
        self._event = event
        self._additional_context = additional_context

    def _do(self) -> Any:
        from cloudify.logs import send_workflow_node_event
        send_workflow_node_event(self.workflow_context.get_node_instance(self._node_instance_id),
                                 'workflow_node_event', self._event, additional_context=self._additional_context,
                                 out_func=self.workflow_context.internal.handler.event_out)

    def _task_kwargs(self) -> Dict[str, Any]:
        return {'node_instance_id': self._node_instance_id, 'event': self._event,
                'additional_context': self._additional_context}


class SendWorkflowEventTask(_AtOnce):
    def __init__(self, workflow_context: Any, event: Any = None, event_type: str = 'workflow_stage', args: Any = None,
                 additional_context: Optional[Dict[str, Any]] = None, **options: Any) -> None:
        super().__init__(workflow_context, **options)
        self._task = {'event': event, 'event_type': event_type, 'args': args, 'additional_context': additional_context}

    def _do(self) -> Any:
        from cloudify.logs import send_workflow_event
        send_workflow_event(self.workflow_context, self._task['event_type'], self._task['event'], self._task['args'],
                            self._task['additional_context'], self.workflow_context.internal.handler.event_out)

    def _task_kwargs(self) -> Dict[str, Any]:
        return dict(self._task)


class UpdateExecutionStatusTask(_AtOnce):
    def __init__(self, workflow_context: Any, status: Optional[str] = None, **options: Any) -> None:
        super().__init__(workflow_context, **options)
        self._status = status

    def _do(self) -> Any:
        self.workflow_context.internal.handler.update_execution_status(self._status)

    def _task_kwargs(self) -> Dict[str, Any]:
        return {'status': self._status}
