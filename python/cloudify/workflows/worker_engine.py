"""Graphs of a workflow that its worker runs (docs/reference/python-workflows.md, "On a manager")."""
import queue
import threading
from typing import Any, Callable, Dict, Iterable, List, Optional

from cloudify.error_wire import error_traceback
from cloudify.exceptions import NonRecoverableError, OperationRetry, RecoverableError, WorkflowFailed
from cloudify.workflows import workflow_api as api
from cloudify.workflows.channel import Channel, line
from cloudify.workflows.handlers import HandlerResult

BATCH = 200  # tasks in a message
BATCH_BYTES = 4 * 1024 * 1024


class WorkerEngine:
    """Describes tasks to the worker, and does what it asks back: local tasks and handlers."""

    def __init__(self, ctx: Any, folder: str, name: str) -> None:
        self._ctx = ctx
        self._tasks: Dict[str, Any] = {}  # those that the worker knows and that have not ended
        self._graphs: Dict[str, _Run] = {}  # by task, who waits for the end of its graph
        self._lock = threading.Lock()
        self._channel = Channel(folder, name, self._hear, self._is_lost)

    # ---- asking

    def store(self, graph: Any, name: str) -> str:
        tasks = list(graph._in_order())
        answer = self._channel.ask(*self._described(graph, tasks), {'do': 'store', 'name': name})
        return answer.get()['graph']

    def stored(self, name: str) -> Optional[Dict[str, Any]]:
        """The graph of that name with its rows."""
        answer = self._channel.ask({'do': 'get', 'name': name})
        graph = answer.get()['graph']
        return None if graph is None else {'id': graph, 'name': name, 'rows': answer.rows}

    def execute(self, graph: Any) -> None:
        """Raises WorkflowFailed for all tasks that failed, ExecutionCancelled, and what a handler raised."""
        if api.has_cancel_request():
            raise api.ExecutionCancelled()
        new, wired, removed = graph._changes()
        if graph.id is None and not new:
            return
        run = _Run(self, graph)
        for task in graph.tasks:
            self._tasks[task.id] = task
            self._graphs[task.id] = run
        messages = self._described(graph, new)
        answer = self._channel.ask(*messages, {
            'do': 'run', 'graph': graph.id, 'wired': wired, 'removed': removed})
        graph._is_described(new)
        graph._engine_run = run
        try:
            end = run.until(answer)
        finally:
            graph._engine_run = None
        graph._ran()
        self._raise(end)
        if run.error is not None:
            raise run.error

    def start(self, task: Any) -> Any:
        """One task, of the sequential mode."""
        if api.has_cancel_request():
            raise api.ExecutionCancelled()
        if task.is_nop():
            task.end('succeeded', None, None)
            return task.async_result
        self._tasks[task.id] = task
        self._channel.ask(_tasks_message([line(task.described())[:-1]]), {'do': 'one'}).get()
        return task.async_result

    def lifecycle(self, lifecycle: str, name: str, instances: Iterable[Any], related: Iterable[Any],
                  ignore_failure: bool) -> None:
        """Built and run by the engine; raises as execute does."""
        self._build({'do': 'lifecycle', 'lifecycle': lifecycle, 'name': name, 'ignore_failure': ignore_failure,
                     'instances': sorted(one.id for one in instances), 'related': sorted(one.id for one in related)})

    def workflow(self, name: str, parameters: Dict[str, Any]) -> None:
        """One of the manager's own, as a part of this one."""
        self._build({'do': 'workflow', 'name': name, 'parameters': parameters})

    def _build(self, message: Dict[str, Any]) -> None:
        if api.has_cancel_request():
            raise api.ExecutionCancelled()
        answer = self._channel.ask(message).get()
        for instance_id, state in answer['states'].items():
            known = self._ctx._known_instance(instance_id)
            if known is not None:
                known._node_instance['state'] = state
        self._raise(answer['end'])

    @staticmethod
    def _raise(end: Dict[str, Any]) -> None:
        if end['status'] == 'cancelled':
            raise api.ExecutionCancelled()
        if end['status'] == 'failed':
            raise WorkflowFailed(end['error'], hide_traceback=True)

    @staticmethod
    def _described(graph: Any, tasks: List[Any]) -> List[bytes]:
        """Messages of many tasks each: one for each would cost more than the tasks."""
        messages: List[bytes] = []
        texts: List[bytes] = []
        length = 0
        for task in tasks:
            text = line(task.described(graph._dependencies[task.id]))[:-1]
            if texts and (len(texts) == BATCH or length + len(text) > BATCH_BYTES):
                messages.append(_tasks_message(texts))
                texts, length = [], 0
            texts.append(text)
            length += len(text)
        if texts:
            messages.append(_tasks_message(texts))
        return messages

    # ---- being told

    def _hear(self, message: Dict[str, Any]) -> None:
        if 'ended' in message:
            for ended in message['ended']:
                self._has_ended(*ended)
        elif 'run' in message:
            for row, task_id in message['run']:
                self._run_here(row, self._tasks.get(task_id))
        elif 'ask' in message:
            self._handle(message['ask'], message['task'], message['outcome'])
        elif message.get('cancel') == 'kill':
            api.set_kill_request()
        else:
            api.set_cancel_request()
            self._wake()

    def _is_lost(self) -> None:
        api.set_cancel_request()
        self._wake()

    def _wake(self) -> None:
        """Whoever waits for a task looks for a wish to cancel."""
        for task in list(self._tasks.values()):
            task.async_result.wake()

    def _has_ended(self, task_id: str, state: str, result: Any, error: Optional[Dict[str, Any]]) -> None:
        run = self._graphs.pop(task_id, None)
        task = self._tasks.pop(task_id, None)
        if task is None:
            return
        task.end(state, result, None if error is None else _exception(error))
        if run is not None:
            run.graph._has_ended(task)

    def _run_here(self, row: str, task: Any) -> None:
        """In a thread of the pool: a function of the workflow."""
        def run() -> None:
            try:
                outcome = {'ok': True, 'result': None if task is None else task.call()}
                self._channel.send(dict(outcome, do='done', row=row))
            except Exception as error:
                self._channel.send({'do': 'done', 'row': row, 'ok': False, 'error': _wire(error)})
        self._ctx.internal.run_local(run)

    def _handle(self, row: str, task_id: str, outcome: Dict[str, Any]) -> None:
        """In the thread that waits for the graph; where there is none, in one of the pool."""
        run = self._graphs.get(task_id)
        task = self._tasks.get(task_id)

        def handle() -> None:
            self._answer(row, task, outcome, run)
        if run is None:
            self._ctx.internal.run_local(handle)
        else:
            run.put(handle)

    def _answer(self, row: str, task: Any, outcome: Dict[str, Any], run: Any) -> None:
        answer, again = {'action': 'fail'}, []
        graph = None if run is None else run.graph
        try:
            if task is not None:
                result = self._asked(task, outcome)
                answer, again = _answer_of(result)
        except Exception as error:
            # The task fails, and what the handler raised is what its workflow fails by.
            if run is None:
                self._ctx.logger.exception('A handler has failed')
            else:
                run.error = run.error or error
        messages: List[bytes] = []
        if graph is not None:
            new = graph._changes()[0]
            messages = self._described(graph, [one for one in new if one in again] if again else new)
            graph._is_described(new)
            for one in new:
                self._tasks[one.id] = one
                self._graphs[one.id] = run
        self._channel.send(*messages, dict(answer, do='answered', row=row))

    @staticmethod
    def _asked(task: Any, outcome: Dict[str, Any]) -> HandlerResult:
        error = None if outcome['ok'] else _exception(outcome['error'])
        task.show(outcome.get('result'), error)
        try:
            handler = task.on_success if error is None else task.on_failure
            if handler is None:
                return HandlerResult.cont() if error is None else HandlerResult.fail()
            answer = handler(task)
            if error is not None and answer.retry_after is None and isinstance(error, RecoverableError):
                answer.retry_after = error.retry_after
            return answer
        finally:
            if not task.is_terminated:
                task.hide()


class _Run:
    """A thread that waits for a graph, and calls its handlers meanwhile."""

    def __init__(self, engine: WorkerEngine, graph: Any) -> None:
        self.graph = graph
        self.error: Optional[Exception] = None
        self._calls: Any = queue.Queue()

    def put(self, call: Callable[[], None]) -> None:
        self._calls.put(call)

    def until(self, answer: Any) -> Dict[str, Any]:
        answer.when_done(lambda: self._calls.put(None))
        while True:
            call = self._calls.get()
            if call is None:
                return answer.get()['end']
            call()


def _tasks_message(texts: List[bytes]) -> bytes:
    return b'{"do": "tasks", "tasks": [' + b', '.join(texts) + b']}\n'


def _answer_of(result: HandlerResult) -> Any:
    """The message, and the tasks that take the place of a subgraph."""
    if result.action == HandlerResult.HANDLER_FAIL:
        return {'action': 'fail'}, []
    if result.action != HandlerResult.HANDLER_RETRY:
        return {'action': 'done'}, []
    answer = {'action': 'retry', 'ignore_total_retries': result.ignore_total_retries}
    if result.retry_after is not None:
        answer['retry_after'] = result.retry_after
    again = result.retried_task
    if again is None or not again.is_subgraph:
        return answer, []
    return dict(answer, again=True), _within(again)


def _within(subgraph: Any) -> List[Any]:
    found = [subgraph]
    for task in subgraph.tasks.values():
        found += _within(task) if task.is_subgraph else [task]
    return found


_KINDS = (('retry', OperationRetry), ('non-recoverable', NonRecoverableError))


def _wire(error: Exception) -> Dict[str, Any]:
    kind = next((name for name, known in _KINDS if isinstance(error, known)), 'recoverable')
    return {'kind': kind, 'type': type(error).__name__, 'message': str(error), 'traceback': error_traceback(error),
            'retry_after': getattr(error, 'retry_after', None)}


def _exception(error: Dict[str, Any]) -> Exception:
    """Of the class by which the task is or is not tried again."""
    after = error.get('retryAfterMs')
    message = error['message']
    if error['kind'] == 'retry':
        return OperationRetry(message, retry_after=None if after is None else after / 1000)
    if error['kind'] == 'recoverable':
        return RecoverableError(message, retry_after=None if after is None else after / 1000)
    return NonRecoverableError(message)
