"""Dependencies between deployments: records of POST /deployments/inter-deployment-dependencies."""
from typing import Any, Dict, List, Optional, Tuple

DEPENDENCY_CREATOR = 'dependency_creator'
SOURCE_DEPLOYMENT = 'source_deployment'
TARGET_DEPLOYMENT = 'target_deployment'
TARGET_DEPLOYMENT_FUNC = 'target_deployment_func'
EXTERNAL_SOURCE = 'external_source'
EXTERNAL_TARGET = 'external_target'
ID = 'id'
CREATED_AT = 'created_at'
VISIBILITY = 'visibility'


def create_deployment_dependency(dependency_creator: str, source_deployment: Optional[str] = None,
                                 target_deployment: Optional[str] = None, target_deployment_func: Any = None,
                                 external_source: Any = None, external_target: Any = None) -> Dict[str, Any]:
    """What is not given is left out."""
    record = {DEPENDENCY_CREATOR: dependency_creator, SOURCE_DEPLOYMENT: source_deployment,
              TARGET_DEPLOYMENT: target_deployment, TARGET_DEPLOYMENT_FUNC: target_deployment_func,
              EXTERNAL_SOURCE: external_source, EXTERNAL_TARGET: external_target}
    return {key: value for key, value in record.items() if value}


def dependency_creator_generator(connection_type: str, to_deployment: str) -> str:
    return '{0}.{1}'.format(connection_type, to_deployment)


def dependency_of(function: Dict[str, Any]) -> Tuple[Any, List[Any]]:
    """Of {get_capability: [deployment, path…]}: the deployment and the path."""
    (_, arguments), = function.items()
    return arguments[0], list(arguments[1:])
