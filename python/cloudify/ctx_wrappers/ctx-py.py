"""`ctx` for Python scripts on another machine, over the `ctx` command there. It is copied as ctx.py:

    import ctx
    ctx.instance.runtime_properties['port'] = ctx.node.properties['port']

One file and the standard library only, of Python 2.7 as of 3.
"""
import json
import subprocess
import sys
import types

try:
    from collections.abc import MutableMapping
except ImportError:
    from collections import MutableMapping  # Python 2


class CtxError(RuntimeError):
    pass


def command(*args):
    """The answer to `ctx ARGS…`: a value, not a text."""
    words = ['@' + json.dumps(arg) if not _is_text(arg) or arg.startswith(('@', '-')) else arg for arg in args]
    process = subprocess.Popen(['ctx', '-j'] + words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.communicate()
    if process.returncode:
        raise CtxError(err.decode('utf-8', 'replace').strip())
    return json.loads(out.decode('utf-8')) if out.strip() else None


def _is_text(value):
    return isinstance(value, str if sys.version_info[0] > 2 else basestring)  # noqa: F821


def _value(name):
    return property(lambda self: command(*(self._path + (name,))))


class Part(object):
    def __init__(self, *path):
        self._path = path


class Properties(Part):
    """A node's properties: read-only."""

    def _all(self):
        return command(*(self._path + ('properties',))) or {}

    def __getitem__(self, key):
        return self._all()[key]

    def __contains__(self, key):
        return key in self._all()

    def __iter__(self):
        return iter(self._all())

    def __len__(self):
        return len(self._all())

    def get(self, key, default=None):
        return self._all().get(key, default)

    def get_all(self):
        return self._all()

    keys = lambda self: self._all().keys()  # noqa: E731
    values = lambda self: self._all().values()  # noqa: E731
    items = lambda self: self._all().items()  # noqa: E731


class RuntimeProperties(Part, MutableMapping):
    """Each read and each change is one command."""

    def _command(self, *args):
        return command(*(self._path + ('runtime-properties',) + args))

    def _all(self):
        return self._command() or {}

    def get_all(self):
        return self._all()

    def __getitem__(self, key):
        return self._all()[key]

    def __setitem__(self, key, value):
        # As a method: a path would take a key with dots apart.
        self._command('update', {key: value}, {})

    def __delitem__(self, key):
        if key not in self._all():
            raise KeyError(key)
        self._command('pop', key)

    def __iter__(self):
        return iter(self._all())

    def __len__(self):
        return len(self._all())


class Node(Part):
    id = _value('id')
    name = _value('name')
    type = _value('type')

    @property
    def properties(self):
        return Properties(*self._path)


class Instance(Part):
    id = _value('id')
    host_ip = _value('host-ip')
    relationships = _value('relationships')

    @property
    def runtime_properties(self):
        return RuntimeProperties(*self._path)

    def update(self):
        command(*(self._path + ('update',)))

    def refresh(self):
        command(*(self._path + ('refresh',)))


class Side(Part):
    @property
    def node(self):
        return Node(*(self._path + ('node',)))

    @property
    def instance(self):
        return Instance(*(self._path + ('instance',)))


class Logger(Part):
    def _say(self, level, message):
        command('logger', level, message)

    def debug(self, message):
        self._say('debug', message)

    def info(self, message):
        self._say('info', message)

    def warn(self, message):
        self._say('warning', message)

    warning = warn

    def error(self, message):
        self._say('error', message)

    def critical(self, message):
        self._say('critical', message)

    fatal = critical


class Ctx(types.ModuleType):
    """The module itself, so that `import ctx` gives the object and `ctx('node', 'id')` works."""

    node = Node('node')
    instance = Instance('instance')
    source = Side('source')
    target = Side('target')
    logger = Logger()

    def __call__(self, *args):
        return command(*(args[0].split() if len(args) == 1 and ' ' in args[0] else args))

    def returns(self, data):
        return command('returns', data, {})

    def abort_operation(self, message=''):
        return command('abort-operation', message)

    def retry_operation(self, message=''):
        return command('retry-operation', message)

    def download_resource(self, source, destination=''):
        return command('download-resource', source, *([destination] if destination else []))


_ctx = Ctx(__name__)
_ctx.__dict__.update({name: value for name, value in globals().items() if not name.startswith('_')})
_ctx.__file__ = __file__
sys.modules[__name__] = _ctx
