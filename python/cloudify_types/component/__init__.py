"""Operations of Component nodes, by the names that types.yaml has for them."""
from cloudify_types.component.operations import (  # noqa: F401
    check_drift, check_status, create, delete, execute_start, heal, refresh, update, upload_blueprint)
