"""Workflows of the deployment that a SharedResource stands for."""
from typing import Any, Dict, Optional

from cloudify.exceptions import NonRecoverableError
from cloudify.models_states import ExecutionState
from cloudify.state import ctx
from cloudify_types.component.polling import verify_execution_state
from cloudify_types.constants import EXECUTIONS_TIMEOUT, SHARED_RESOURCE_TYPE, WORKFLOW_EXECUTION_TIMEOUT

__all__ = ['SHARED_RESOURCE_TYPE', '_get_target_shared_resource_client', 'execute_shared_resource_workflow',
           'execute_workflow_base']


def _get_target_shared_resource_client() -> Dict[str, Any]:
    """Arguments for CloudifyClient: the target node's property `client`. Empty for this manager."""
    return ctx.target.node.properties.get('client') or {}


def execute_workflow_base(client: Any, workflow_id: str, deployment_id: str,
                          parameters: Optional[Dict[str, Any]] = None, redirect_logs: bool = True,
                          instance_ctx: Any = None, queue: bool = False,
                          timeout: float = EXECUTIONS_TIMEOUT) -> Any:
    """Starts it and waits until it has ended well."""
    execution = client.executions.start(deployment_id=deployment_id, workflow_id=workflow_id,
                                        parameters=parameters or {}, allow_custom_parameters=True, queue=queue)
    ctx.logger.info('Started workflow %s of deployment %s: execution %s', workflow_id, deployment_id, execution['id'])
    verify_execution_state(client, execution['id'], deployment_id, redirect_logs, ExecutionState.TERMINATED, timeout,
                           instance_ctx=instance_ctx)
    return execution


def execute_shared_resource_workflow(workflow_id: str, parameters: Optional[Dict[str, Any]],
                                     wf_timeout: float = WORKFLOW_EXECUTION_TIMEOUT, redirect_logs: bool = True) -> Any:
    """On the target of this relationship operation."""
    if SHARED_RESOURCE_TYPE not in ctx.target.node.type_hierarchy:
        raise NonRecoverableError('Node {0} is of type {1}, not of one derived from {2}'.format(
            ctx.target.node.id, ctx.target.node.type, SHARED_RESOURCE_TYPE))
    settings = _get_target_shared_resource_client()
    if settings:
        from cloudify_rest_client.client import CloudifyClient
        client = CloudifyClient(**settings)
    else:
        from cloudify import manager
        client = manager.get_rest_client()
    deployment = ctx.target.node.properties['resource_config']['deployment']['id']
    return execute_workflow_base(client, workflow_id, deployment, parameters, redirect_logs,
                                 instance_ctx=ctx.target.instance, timeout=wf_timeout)
