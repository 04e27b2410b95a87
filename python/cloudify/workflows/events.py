"""Events of tasks."""
from typing import Any, Dict, Optional

from cloudify.constants import (
    TASK_FAILED, TASK_RESCHEDULED, TASK_SENDING, TASK_STARTED, TASK_SUCCEEDED)

_TYPES = {
    TASK_SENDING: ('sending_task', 'Sending'),
    TASK_STARTED: ('task_started', '{task} started'),
    TASK_SUCCEEDED: ('task_succeeded', '{task} succeeded'),
    TASK_RESCHEDULED: ('task_rescheduled', '{task} rescheduled'),
    TASK_FAILED: ('task_failed', '{task} failed'),
}


def get_event_type(state: str) -> str:
    """Raises RuntimeError for a state that has no event."""
    if state not in _TYPES:
        raise RuntimeError('A task that is {0} has no event'.format(state))
    return _TYPES[state][0]


def format_event_message(name: str, task_type: str, state: str, result: Any = None, exception: Any = None,
                         current_retries: int = 0, total_retries: int = 0, postfix: Optional[str] = None) -> str:
    get_event_type(state)
    task = 'Subgraph' if task_type == 'SubgraphTask' else 'Task'
    text = 'Sending {0}'.format(task.lower()) if state == TASK_SENDING else _TYPES[state][1].format(task=task)
    text = "{0} '{1}'".format(text, name)
    if state == TASK_SUCCEEDED and result is not None:
        text += ' - {0}'.format(result)
    if state in (TASK_FAILED, TASK_RESCHEDULED) and exception is not None:
        text += ' -> {0}'.format(exception)
    if current_retries > 0:
        limit = '/{0}'.format(total_retries) if total_retries >= 0 else ''
        text += ' [retry {0}{1}]'.format(current_retries, limit)
    return text + (postfix or '')


def send_task_event(state: str, task: Any, event: Optional[Dict[str, Any]] = None) -> None:
    """`event` has `exception` and `result` where there are such."""
    from cloudify.logs import send_task_event as send
    event = event or {}
    send(task.cloudify_context, get_event_type(state), format_event_message(
        task.name, task.task_type, state, event.get('result'), event.get('exception'), task.current_retries,
        task.total_retries), additional_context={
            'task_current_retries': task.current_retries, 'task_total_retries': task.total_retries})
