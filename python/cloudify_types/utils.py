"""What operations of the service composition types share."""
from functools import wraps
from typing import Any, Callable, Dict, Tuple

from cloudify.exceptions import NonRecoverableError, OperationRetry, RecoverableError
from cloudify.state import ctx


def errors_nonrecoverable(f: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: every failure is final, but for those that say themselves that they are not, and for what a
    cancelling execution may not do: it is tried again when it is resumed."""
    @wraps(f)
    def wrapper(*args, **kwargs):
        from cloudify_rest_client.exceptions import ForbiddenWhileCancelling
        try:
            return f(*args, **kwargs)
        except (NonRecoverableError, RecoverableError):
            raise
        except ForbiddenWhileCancelling as error:
            raise OperationRetry(str(error)) from error
        except Exception as error:
            from cloudify.utils import exception_to_error_cause
            raise NonRecoverableError('{0}: {1}'.format(type(error).__name__, error), causes=[
                exception_to_error_cause(error, error.__traceback__)]) from error
    return wrapper


def get_desired_operation_input(key: str, kwargs: Dict[str, Any]) -> Any:
    """The operation's input, else the runtime property, else the node's property of that name."""
    return (kwargs.get(key) or ctx.instance.runtime_properties.get(key) or ctx.node.properties.get(key))


def get_client(kwargs: Dict[str, Any]) -> Tuple[Any, bool]:
    """(client, whether it is another manager's): `client` holds that manager's address and login."""
    settings = get_desired_operation_input('client', kwargs)
    if settings:
        from cloudify_rest_client.client import CloudifyClient
        return CloudifyClient(**settings), True
    from cloudify import manager
    return manager.get_rest_client(), False


def get_deployment_by_id(client: Any, deployment_id: str) -> Any:
    """None if there is none."""
    from cloudify_rest_client.exceptions import CloudifyClientError
    try:
        return client.deployments.get(deployment_id)
    except CloudifyClientError as error:
        if error.status_code != 404:
            raise
        return None


def current_deployment_id(**kwargs: Any) -> str:
    return kwargs.get('ctx', ctx).deployment.id


def validate_labels(labels: Any) -> None:
    """Labels are a list of one-item dicts."""
    for label in labels or []:
        if not isinstance(label, dict) or len(label) != 1:
            raise NonRecoverableError('Labels are given as a list of {{key: value}}, not {0!r}'.format(label))
