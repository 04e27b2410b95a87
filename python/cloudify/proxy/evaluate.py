"""Arguments of one `ctx` command → the value they name (docs/reference/operations.md, "The ctx protocol")."""
import re
from collections.abc import MutableMapping

from cloudify.proxy.reachable import reachable

PART = re.compile(r'([^\[\]]*)((?:\[\d+\])*)$')


def evaluate(ctx, args: list):
    """Walks from `ctx` along `args`. Attributes win over keys: `ctx instance runtime-properties keys` calls keys()."""
    current = ctx
    for position, arg in enumerate(args):
        rest = args[position + 1:]
        attribute = _attribute(current, arg)
        if attribute is not None:
            current = getattr(current, attribute)
        elif isinstance(current, MutableMapping):
            return _at_path(current, arg, rest)
        elif callable(current):
            return _call(current, args[position:])
        else:
            raise RuntimeError('{0} cannot be processed in {1}'.format(arg, args))
    return current() if callable(current) else current


def _attribute(current, arg):
    if not isinstance(arg, str):
        return None
    name = arg.replace('-', '_')
    return name if name in reachable(current) and hasattr(current, name) else None


def _call(function, args):
    if isinstance(args[-1], dict):
        return function(*args[:-1], **args[-1])
    return function(*args)


class PathDictAccess:
    """Values below a mapping by paths like `a.b[2].c`. Raises RuntimeError for a path that leads nowhere."""

    def __init__(self, obj):
        self.obj = obj

    def get(self, prop_path):
        return _at_path(self.obj, prop_path, [])

    def set(self, prop_path, value):
        """Makes the dicts that are missing on the way."""
        _at_path(self.obj, prop_path, [value])


def _at_path(mapping, path, rest):
    if len(rest) > 1:
        raise RuntimeError('Illegal argument while accessing dict: {0}'.format(rest[1:]))
    if not isinstance(path, str):
        raise RuntimeError('illegal path: {0}'.format(path))
    steps = _steps(path)
    if rest:
        return _set(mapping, path, steps, rest[0])
    current = mapping
    for step in steps:
        try:
            current = current[step]
        except (KeyError, IndexError, TypeError):
            raise RuntimeError('illegal path: {0}'.format(path)) from None
    return current


def _set(mapping, path, steps, value):
    current = mapping
    for step in steps[:-1]:
        if isinstance(current, dict) and step not in current:
            current[step] = {}
        try:
            current = current[step]
        except (KeyError, IndexError, TypeError):
            raise RuntimeError('illegal path: {0}'.format(path)) from None
    try:
        current[steps[-1]] = value
    except (IndexError, TypeError):
        raise RuntimeError('illegal path: {0}'.format(path)) from None


def _steps(path):
    """`a[2].b` → ['a', 2, 'b']"""
    steps = []
    for part in path.split('.'):
        found = PART.match(part)
        if found is None:
            raise RuntimeError('illegal path: {0}'.format(path))
        if found.group(1):
            steps.append(found.group(1))
        steps += [int(index) for index in re.findall(r'\d+', found.group(2))]
    if not steps:
        raise RuntimeError('illegal path: {0}'.format(path))
    return steps
