"""Operations of SharedResource nodes. The manager refuses blueprints with such nodes as yet; what other plugins call is here."""
from typing import Any, Dict, Optional

from cloudify.decorators import operation
from cloudify_types.constants import WORKFLOW_EXECUTION_TIMEOUT
from cloudify_types.shared_resource.execute_shared_resource_workflow import execute_shared_resource_workflow
from cloudify_types.unavailable import done_by_the_manager

_INSTEAD = ('nodes of service composition are not built yet. Read the other deployment with get_capability in the '
            'blueprint, or with cloudify.manager.get_rest_client().deployments.capabilities')

connect_deployment = done_by_the_manager('cloudify_types.shared_resource.operations.connect_deployment', _INSTEAD)
disconnect_deployment = done_by_the_manager('cloudify_types.shared_resource.operations.disconnect_deployment', _INSTEAD)
refresh = done_by_the_manager('cloudify_types.shared_resource.operations.refresh', _INSTEAD)
check_drift = done_by_the_manager('cloudify_types.shared_resource.operations.check_drift', _INSTEAD)
check_status = done_by_the_manager('cloudify_types.shared_resource.operations.check_status', _INSTEAD)


@operation(resumable=True)
def execute_workflow(workflow_id: str, parameters: Optional[Dict[str, Any]] = None,
                     timeout: float = WORKFLOW_EXECUTION_TIMEOUT, redirect_logs: bool = True, **_: Any) -> Any:
    """Runs a workflow of the deployment that this relationship's target stands for, to its end."""
    return execute_shared_resource_workflow(workflow_id, parameters, timeout, redirect_logs)
