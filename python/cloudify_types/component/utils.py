"""What a Component keeps in its runtime properties."""
from functools import wraps
from typing import Any, Callable

from cloudify.state import ctx
from cloudify_types.constants import CAPABILITIES


def no_rerun_on_resume(property_name: str) -> Callable[..., Any]:
    """Decorator: the result is remembered in that runtime property, at once, and given again without a call."""
    def decorate(f):
        @wraps(f)
        def wrapper(*args, **kwargs):
            if property_name in ctx.instance.runtime_properties:
                return ctx.instance.runtime_properties[property_name]
            result = f(*args, **kwargs)
            ctx.instance.runtime_properties[property_name] = result
            ctx.instance.update()
            return result
        return wrapper
    return decorate


def populate_runtime_with_wf_results(client: Any, deployment_id: str, node_instance: Any = None) -> None:
    """The other deployment's capabilities, where get_attribute finds them."""
    instance = node_instance or ctx.instance
    found = client.deployments.capabilities.get(deployment_id)
    instance.runtime_properties[CAPABILITIES] = dict(found['capabilities'])
