"""The result of a task that was started."""
import threading
import time
from typing import Any, Callable, List, Optional, Tuple

_UNSET = object()


class WorkflowTaskResult:
    def __init__(self, task: Any) -> None:
        self.task = task
        self._result: Any = _UNSET
        self._callbacks: List[Tuple[Callable[..., Any], tuple, dict]] = []
        self._done = threading.Event()
        self._woken = threading.Event()
        self._lock = threading.Lock()

    @property
    def result(self) -> Any:
        """Raises RuntimeError as long as there is none."""
        if self._result is _UNSET:
            raise RuntimeError('{0} has no result yet'.format(self.task))
        return self._result

    @result.setter
    def result(self, value: Any) -> None:
        with self._lock:
            if self._done.is_set():
                raise RuntimeError('{0} has a result already'.format(self.task))
            self._result = value
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            self._call(*callback)
        self._done.set()
        self._woken.set()

    def on_result(self, f: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
        """Calls `f(result, …)` once there is one. What it returns takes the result's place, unless it is None."""
        with self._lock:
            if self._result is _UNSET:
                self._callbacks.append((f, args, kwargs))
                return
        self._call(f, args, kwargs)

    def show(self, value: Any) -> None:
        """To a handler, which may look at it before it counts."""
        if not self._done.is_set():
            self._result = value

    def hide(self) -> None:
        if not self._done.is_set():
            self._result = _UNSET

    def wake(self) -> None:
        """Whoever waits looks for a wish to cancel."""
        self._woken.set()

    def get(self, retry_on_failure: bool = True) -> Any:
        """Waits. What failed is tried again as its handlers and retries say, then raised."""
        from cloudify.workflows import workflow_api
        while True:
            self._wait(workflow_api)
            if not isinstance(self._result, BaseException):
                return self._result
            error = self._result
            if not retry_on_failure or self.task._engine() is not None:
                raise error  # a worker has tried all that was to be tried
            answer = self.task.handle_task_terminated()
            if answer.action == answer.HANDLER_IGNORE or answer.action == answer.HANDLER_CONTINUE:
                return None
            if answer.action == answer.HANDLER_FAIL:
                raise error
            retried = answer.retried_task
            while time.time() < (retried.execute_after or 0):
                if workflow_api.has_cancel_request():
                    raise workflow_api.ExecutionCancelled()
                time.sleep(min(0.1, max(0.0, retried.execute_after - time.time())))
            again = retried.apply_async()
            if again is not self:
                return again.get(retry_on_failure)

    def wait(self, timeout: Optional[float] = None) -> bool:
        return self._done.wait(timeout)

    def _wait(self, workflow_api: Any) -> None:
        # A worker wakes whoever waits; in this process alone there is nobody who would.
        is_woken = self.task._engine() is not None
        while not self._done.is_set():
            if workflow_api.has_cancel_request():
                raise workflow_api.ExecutionCancelled()
            if is_woken:
                self._woken.wait()
                self._woken.clear()
            else:
                self._done.wait(0.1)

    def _call(self, f: Callable[..., Any], args: tuple, kwargs: dict) -> None:
        replaced = f(self._result, *args, **kwargs)
        if replaced is not None:
            self._result = replaced
