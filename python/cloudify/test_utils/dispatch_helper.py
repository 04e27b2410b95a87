"""Runs a function as an operation, in this process."""
import sys
from typing import Any, Callable


def run(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Its result, by way of what a worker's process does: `ctx` is current, and a wish to be run again is raised."""
    from cloudify.dispatch import dispatch
    name = 'function_{0}'.format(id(fn))
    module = sys.modules[__name__]
    setattr(module, name, fn)  # dispatch finds functions by their names, which one inside of a test has not
    try:
        return dispatch({'type': 'operation', 'task_name': '{0}.{1}'.format(__name__, name),
                         'task_id': 'dispatch-helper', 'local': True, 'storage': None}, *args, **kwargs)
    finally:
        delattr(module, name)
