"""The current operation's `ctx` and parameters. One process runs one operation, so both are process-wide:
threads that a script starts see them too."""
from contextlib import contextmanager


class StateParameters(dict):
    """The operation's inputs, readable as attributes too: `inputs.port`."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError('there is no input "{0}"; the inputs are: {1}'.format(
                name, ', '.join(sorted(map(str, self))) or 'none')) from None

    def __setattr__(self, name, value):
        self[name] = value


class CurrentContext:
    def __init__(self):
        self.clear()

    def set(self, ctx, parameters=None):
        self._ctx = ctx
        self._parameters = StateParameters(parameters or {})

    def get_ctx(self):
        if self._ctx is None:
            raise RuntimeError('No context set in current execution: `ctx` exists only while an operation runs')
        return self._ctx

    def get_parameters(self):
        if self._parameters is None:
            raise RuntimeError('No parameters set in current execution: they exist only while an operation runs')
        return self._parameters

    def clear(self):
        self._ctx = None
        self._parameters = None

    @contextmanager
    def push(self, ctx, parameters=None):
        before = self._ctx, self._parameters
        self.set(ctx, parameters)
        try:
            yield ctx
        finally:
            self._ctx, self._parameters = before


class Proxy:
    """Stands for an object that exists only later: `from cloudify import ctx` runs before there is an operation."""

    def __init__(self, target):
        object.__setattr__(self, '_target', target)

    def __getattr__(self, name):
        return getattr(self._target(), name)

    def __setattr__(self, name, value):
        setattr(self._target(), name, value)

    def __getitem__(self, key):
        return self._target()[key]

    def __setitem__(self, key, value):
        self._target()[key] = value

    def __contains__(self, key):
        return key in self._target()

    def __iter__(self):
        return iter(self._target())

    def __len__(self):
        return len(self._target())

    def __bool__(self):
        return True

    def __eq__(self, other):
        return self._target() == (other._target() if isinstance(other, Proxy) else other)

    __hash__ = None

    def __repr__(self):
        return repr(self._target())


current_ctx = CurrentContext()
ctx = Proxy(current_ctx.get_ctx)
ctx_parameters = Proxy(current_ctx.get_parameters)
