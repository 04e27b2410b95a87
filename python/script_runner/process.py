"""Runs a script as a process of its own."""
import subprocess
from typing import Any, Dict, Optional, Tuple

from cloudify.exceptions import ProcessException
from script_runner.constants import DEFAULT_POWERSHELL_EXECUTABLE, POWERSHELL_SCRIPT_FILE_EXTENSION
from script_runner.environment import get_process_environment
from script_runner.output import Stream, follow


def run_process(ctx: Any, script_path: str, process: Dict[str, Any]) -> None:
    """Raises ProcessException when it ends with a code other than 0 without having aborted or asked for a retry."""
    from script_runner.tasks import start_ctx_proxy
    arguments = process.get('args') or []
    arguments = [arguments] if isinstance(arguments, str) else [str(one) for one in arguments]
    command = ' '.join([part for part in [_prefix(script_path, process), script_path] if part] + arguments)
    proxy = start_ctx_proxy(ctx, process)
    try:
        code, stdout, stderr = _execute(ctx, command, process, get_process_environment(process, proxy))
    finally:
        proxy.close()
    if code != 0 and not isinstance(ctx._return_value, Exception):
        raise ProcessException(command, code, stdout, stderr)


def _prefix(script_path: str, process: Dict[str, Any]) -> Optional[str]:
    if process.get('command_prefix'):
        return process['command_prefix']
    return DEFAULT_POWERSHELL_EXECUTABLE if script_path.endswith(POWERSHELL_SCRIPT_FILE_EXTENSION) else None


def _execute(ctx: Any, command: str, process: Dict[str, Any], variables: Dict[str, str]) -> Tuple[int, str, str]:
    merged = bool(process.get('stderr_to_stdout'))
    child = subprocess.Popen(
        command, shell=True, cwd=process.get('cwd'), env=variables, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT if merged else subprocess.PIPE)
    ctx.logger.info('Process created, PID: %s', child.pid)
    say_out = ctx.logger.info if process.get('log_stdout', True) else None
    say_err = ctx.logger.info if process.get('log_stderr', True) else None
    out = Stream(child.stdout, say_out, '<out>')
    err = None if merged else Stream(child.stderr, say_err, '<err>')
    follow(child, [stream for stream in (out, err) if stream], ctx.logger)
    ctx.logger.info('Execution done (PID=%s, return_code=%s): %s', child.pid, child.returncode, command)
    return child.returncode, out.text(), err.text() if err else ''
