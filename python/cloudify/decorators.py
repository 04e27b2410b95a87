"""Marks on plugin functions; the functions themselves stay as they are (docs/reference/python.md, "Decorators")."""
from functools import wraps


def operation(func=None, resumable=False, **_):
    """Marks an operation. A resumable one may be run again after the worker that ran it was lost."""
    return _mark(func, resumable=resumable)


def workflow(func=None, system_wide=False, resumable=False, **_):
    """Marks a workflow function."""
    return _mark(func, workflow_system_wide=system_wide, resumable=resumable)


task = operation


def serial_operation(threshold=0, workflows=None, states=None):
    """Makes instances of one node take turns by index: an instance waits until all instances of lower index are
    in one of `states`; once `threshold` of them are, the rest go in parallel. Only in `workflows`."""
    workflows = workflows or ['install']
    states = states or ['started']

    def decorate(func):
        @wraps(func)
        def wrapper(*args, **kwargs):
            from cloudify import ctx
            current = kwargs.get('ctx', ctx)
            if current.workflow_id in workflows:
                _wait_for_turn(current, threshold, states)
            return func(*args, **kwargs)
        return wrapper
    return decorate


def _wait_for_turn(ctx, threshold, states):
    from cloudify.exceptions import CloudifySerializationRetry
    from cloudify.manager import get_rest_client
    side = ctx if ctx.type == 'node-instance' else ctx.source
    instances = get_rest_client().node_instances.list(deployment_id=ctx.deployment.id, node_id=side.node.id)
    earlier = [one for one in instances if one['index'] < side.instance.index]
    ready = [one for one in earlier if one['state'] in states]
    if len(ready) == len(earlier) or (threshold > 0 and len(ready) >= threshold):
        return
    waiting = sorted(one['id'] for one in earlier if one not in ready)
    raise CloudifySerializationRetry('{0} waits for {1} to be {2}'.format(
        side.instance.id, ', '.join(waiting), ' or '.join(states)))


def _mark(func, **marks):
    def mark(target):
        for name, value in marks.items():
            setattr(target, name, value)
        return target
    return mark if func is None else mark(func)
