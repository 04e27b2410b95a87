"""The current operation's or workflow's `ctx` and parameters (docs/reference/python.md, "ctx")."""
import threading
from contextlib import contextmanager
from typing import Any, Dict, Iterator, Optional

from proxy_tools import proxy


class NotInContext(RuntimeError):
    """`ctx` or the parameters were used where no operation or workflow runs."""


class CtxParameters(dict):
    """The inputs, readable as attributes too: `inputs.port`. One that is absent is a KeyError either way."""

    def __init__(self, parameters: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(parameters or {})

    def __getattr__(self, name: str) -> Any:
        if name.startswith('__'):
            raise AttributeError(name)  # copy and pickle ask for such names, and take only this for no
        return self[name]

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class CurrentContext(threading.local):
    """What runs in this thread. Threads that an operation starts have none until they `push` one."""

    ctx = None
    parameters = None

    def set(self, ctx: Any, parameters: Optional[Dict[str, Any]] = None) -> None:
        self.ctx = ctx
        self.parameters = CtxParameters(parameters)

    def get_ctx(self) -> Any:
        return self._get('ctx')

    def get_parameters(self) -> Any:
        return self._get('parameters')

    def clear(self) -> None:
        self.ctx = self.parameters = None

    @contextmanager
    def push(self, ctx: Any, parameters: Optional[Dict[str, Any]] = None) -> Iterator['CurrentContext']:
        """Sets both for a `with` block, and what was there before after it."""
        before = self.ctx, self.parameters
        self.set(ctx, parameters)
        try:
            yield self
        finally:
            self.ctx, self.parameters = before

    def _get(self, name: str) -> Any:
        found = getattr(self, name)
        if found is None:
            raise NotInContext('No {0} set in current execution: there is one only while an operation or a workflow '
                               'runs, in the thread that runs it (other threads push theirs: '
                               '`with current_ctx.push(ctx): …`)'.format(name))
        return found


current_ctx = CurrentContext()
current_workflow_ctx = CurrentContext()


@proxy
def ctx():
    return current_ctx.get_ctx()


@proxy
def ctx_parameters():
    return current_ctx.get_parameters()


@proxy
def workflow_ctx():
    return current_workflow_ctx.get_ctx()


@proxy
def workflow_parameters():
    return current_workflow_ctx.get_parameters()
