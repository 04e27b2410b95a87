"""Operations of Blueprint nodes, by the names that types.yaml has for them."""
from cloudify_types.blueprint.operations import (  # noqa: F401
    delete, upload)
