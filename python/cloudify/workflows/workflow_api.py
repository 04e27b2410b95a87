"""Whether the execution that runs here was asked to stop. One process runs one workflow, so this is the module's."""
from typing import Any, Callable, Set

EXECUTION_CANCELLED_RESULT = 'execution_cancelled'

cancel_request = False
kill_request = False
cancel_callbacks: Set[Callable[[], Any]] = set()
kill_callbacks: Set[Callable[[], Any]] = set()


class ExecutionCancelled(Exception):
    """Raised by what waits, when the execution was asked to stop."""


def has_cancel_request() -> bool:
    """By a wish to cancel or to kill: a workflow that loops asks this in each round."""
    return cancel_request or kill_request


def has_kill_request() -> bool:
    return kill_request


def set_cancel_request() -> None:
    global cancel_request
    cancel_request = True
    for callback in list(cancel_callbacks):
        callback()


def set_kill_request() -> None:
    global kill_request
    kill_request = True
    for callback in list(kill_callbacks):
        callback()
