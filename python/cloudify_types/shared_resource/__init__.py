"""Operations of SharedResource nodes, by the names that types.yaml has for them."""
from cloudify_types.shared_resource.operations import (  # noqa: F401
    check_drift, check_status, connect_deployment, disconnect_deployment,
    execute_workflow, refresh)
