"""Following the execution of another deployment."""
import logging
from typing import Any, Optional

from cloudify.exceptions import NonRecoverableError
from cloudify.models_states import ExecutionState
from cloudify.state import ctx
from cloudify_types.constants import PAGINATION_SIZE, POLLING_INTERVAL
from cloudify_types.polling import poll_with_timeout, wait_for_blueprint_to_upload

__all__ = ['is_all_executions_finished', 'is_deployment_execution_at_state', 'poll_with_timeout', 'redirect_logs',
           'verify_execution_state', 'wait_for_blueprint_to_upload']

RECEIVED = 'received_events'


def redirect_logs(client: Any, execution_id: str, instance_ctx: Any = None) -> None:
    """Logs what that execution said since the last time. How far that was is a runtime property."""
    instance = instance_ctx or ctx.instance
    received = dict(instance.runtime_properties.get(RECEIVED) or {})
    begin = received.get(execution_id, 0)
    while True:
        page = client.events.list(execution_id=execution_id, include_logs=True, sort='reported_timestamp',
                                  _offset=begin, _size=PAGINATION_SIZE)
        for event in page:
            level = logging.getLevelName((event.get('level') or 'info').upper())
            ctx.logger.log(level if isinstance(level, int) else logging.INFO, '[%s] %s',
                           event.get('node_instance_id') or event.get('operation') or execution_id,
                           event.get('message') or '')
        begin += len(page)
        if len(page) < PAGINATION_SIZE:
            break
    received[execution_id] = begin
    instance.runtime_properties[RECEIVED] = received


def is_all_executions_finished(client: Any, deployment_id: Optional[str] = None) -> bool:
    """None of the deployment's runs, system workflows among them."""
    begin = 0
    while True:
        page = client.executions.list(deployment_id=deployment_id, _include_system_workflows=True, _offset=begin,
                                      _size=PAGINATION_SIZE)
        if any(one['status'] not in ExecutionState.END_STATES for one in page):
            return False
        begin += len(page)
        if len(page) < PAGINATION_SIZE:
            return True


def is_deployment_execution_at_state(client: Any, dep_id: str, state: str, execution_id: str,
                                     log_redirect: bool = False, instance_ctx: Any = None) -> bool:
    """Raises NonRecoverableError when it has ended otherwise."""
    execution = client.executions.get(execution_id=execution_id)
    if log_redirect:
        redirect_logs(client, execution_id, instance_ctx)
    if execution['status'] == state:
        return True
    if execution['status'] in ExecutionState.END_STATES:
        raise NonRecoverableError('Execution {0} of deployment {1} is {2}{3}'.format(
            execution_id, dep_id, execution['status'],
            ': {0}'.format(execution['error']) if execution.get('error') else ''))
    return False


def verify_execution_state(client: Any, execution_id: str, deployment_id: str, redirect_log: bool,
                           workflow_state: str, timeout: float = 1800, interval: float = POLLING_INTERVAL,
                           instance_ctx: Any = None) -> bool:
    """Waits until it has that state. Raises NonRecoverableError when it does not within `timeout` seconds."""
    def has_it() -> bool:
        return is_deployment_execution_at_state(client, deployment_id, workflow_state, execution_id, redirect_log,
                                                instance_ctx)

    if not poll_with_timeout(has_it, timeout, interval):
        raise NonRecoverableError('Execution {0} of deployment {1} was not {2} within {3} s'.format(
            execution_id, deployment_id, workflow_state, timeout))
    return True
