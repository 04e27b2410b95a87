"""The operation that every script implementation becomes (docs/reference/operations.md, "Scripts"), and the pieces that
other plugins build their own script operations from."""
import os
from typing import Any, Callable, Dict, Optional

from cloudify.decorators import operation, workflow
from cloudify.exceptions import NonRecoverableError, ProcessException
from script_runner.answers import (
    ILLEGAL_CTX_OPERATION_ERROR, UNSUPPORTED_SCRIPT_FEATURE_ERROR, add_answers, answered)
from script_runner.constants import PYTHON_SCRIPT_FILE_EXTENSION
from script_runner.environment import get_process_environment as _get_process_environment
from script_runner.environment import create_process_config
from script_runner.source import download_resource, script_file

__all__ = [
    'DEFAULT_TASK_LOG_DIR', 'ILLEGAL_CTX_OPERATION_ERROR', 'IS_WINDOWS', 'POLL_LOOP_INTERVAL',
    'POLL_LOOP_LOG_ITERATIONS', 'ProcessException', 'UNSUPPORTED_SCRIPT_FEATURE_ERROR', '_get_process_environment',
    'create_process_config', 'download_resource', 'eval_script', 'execute', 'execute_workflow', 'get_run_script_func',
    'process_ctx_request', 'process_execution', 'run', 'start_ctx_proxy', 'treat_script_as_python_script',
]

IS_WINDOWS = os.name == 'nt'
DEFAULT_TASK_LOG_DIR = os.path.join(os.path.expanduser('~'), '.tutti-work', 'logs')
POLL_LOOP_INTERVAL = 0.1  # seconds, for who waits for a process by asking again
POLL_LOOP_LOG_ITERATIONS = 200  # after so many of them "still running" is worth a line

ScriptFunction = Callable[[str, Any, Dict[str, Any]], Any]


@operation(resumable=True)
def run(script_path: Optional[str] = None, script_source: Optional[str] = None,
        process: Optional[Dict[str, Any]] = None, ssl_cert_content: Optional[str] = None, ctx: Any = None,
        **inputs: Any) -> Any:
    """Runs a script: a file of the blueprint, a URL, or inline text. Other inputs become environment variables."""
    if ctx is None:
        from cloudify.state import ctx
    _check_source(script_path, script_source)
    process = create_process_config(process or {}, inputs)
    with script_file(ctx, script_path or None, script_source or None, process.get('eval_python'),
                     ssl_cert_content) as path:
        return process_execution(get_run_script_func(path, process), path, ctx, process)


@workflow(resumable=True)
def execute_workflow(script_path: Optional[str] = None, script_source: Optional[str] = None,
                     ssl_cert_content: Optional[str] = None, **_: Any) -> Any:
    """Runs a Python script as a workflow: it finds `ctx` in cloudify.workflows."""
    from cloudify.state import workflow_ctx
    _check_source(script_path, script_source)
    with script_file(workflow_ctx, script_path or None, script_source or None, True, ssl_cert_content) as path:
        if not treat_script_as_python_script(path, {'eval_python': True}):
            raise NonRecoverableError('Workflow scripts have to be Python')
        return eval_script(path, workflow_ctx)


def process_execution(script_func: ScriptFunction, script_path: str, ctx: Any,
                      process: Optional[Dict[str, Any]] = None) -> Any:
    """Runs the script by `script_func(script_path, ctx, process)`, with the commands on `ctx` by which it answers.
    Its answer, which is raised when it is an error."""
    add_answers(ctx)
    script_func(script_path, ctx, process or {})
    return answered(ctx)


def get_run_script_func(script_path: str, process: Dict[str, Any]) -> ScriptFunction:
    if treat_script_as_python_script(script_path, process):
        return eval_script
    return execute


def treat_script_as_python_script(script_path: str, process: Dict[str, Any]) -> bool:
    eval_python = process.get('eval_python')
    return bool(eval_python) or (eval_python is None and script_path.endswith(PYTHON_SCRIPT_FILE_EXTENSION))


def eval_script(script_path: str, ctx: Any, process: Optional[Dict[str, Any]] = None) -> None:
    """Runs the script in this process, as `__main__`."""
    from script_runner.in_process import run_in_process
    run_in_process(script_path)


def execute(script_path: str, ctx: Any, process: Dict[str, Any]) -> None:
    """Runs the script as a process of its own. Raises ProcessException when it ends with a code other than 0 without
    having answered."""
    from script_runner.process import run_process
    run_process(ctx, script_path, process)


def start_ctx_proxy(ctx: Any, process: Dict[str, Any]) -> Any:
    """Serves `ctx` to processes: has `socket_url`, which they need as CTX_SOCKET_URL, and has to be closed."""
    from cloudify.proxy.server import CtxProxy, StubCtxProxy
    kind = process.get('ctx_proxy_type') or 'auto'
    if kind == 'none':
        return StubCtxProxy()
    if kind in ('auto', 'http'):
        return CtxProxy(ctx, kind)
    raise NonRecoverableError('Unsupported process.ctx_proxy_type: {0} (use auto, http or none)'.format(kind))


def process_ctx_request(proxy: Any) -> None:
    """Nothing: proxies answer by themselves. Other plugins call this while they wait for their process."""


def _check_source(script_path: Optional[str], script_source: Optional[str]) -> None:
    if not script_path and not script_source:
        raise NonRecoverableError('Either script_path or script_source must be provided')
    if script_path and script_source:
        raise NonRecoverableError('Only provide script_path or script_source, not both')
