"""Runs a script as a process of its own."""
import json
import os
import subprocess
import sys
import tempfile

from cloudify.exceptions import NonRecoverableError, ProcessException
from cloudify.proxy.server import CtxProxy
from script_runner.answers import answered
from script_runner.output import Stream, follow

CTX_COMMAND_FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'bin')


def run_process(ctx, script_path, process, inputs):
    """The script's answer. Raises ProcessException when it ends with a code other than 0 without having answered."""
    arguments = process.get('args') or []
    arguments = [arguments] if isinstance(arguments, str) else [str(one) for one in arguments]
    command = ' '.join([part for part in [_prefix(script_path, process), script_path] if part] + arguments)
    proxy = _proxy(ctx, process.get('ctx_proxy_type') or 'auto')
    try:
        code, stdout, stderr = _execute(
            ctx, command, process, environment(inputs, process.get('env') or {}, proxy and proxy.socket_url))
    finally:
        if proxy is not None:
            proxy.close()
    if code != 0 and not isinstance(ctx._return_value, Exception):
        raise ProcessException(command, code, stdout, stderr)
    return answered(ctx)


def environment(inputs, process_env, socket_url):
    """The worker's variables, over them the inputs, over them process.env."""
    result = dict(os.environ)
    for name, value in list(inputs.items()) + list(process_env.items()):
        result[str(name)] = as_variable(value)
    if socket_url:
        result['CTX_SOCKET_URL'] = socket_url
    result.setdefault('TMPDIR', tempfile.gettempdir())
    folders = result.get('PATH', os.defpath).split(os.pathsep)
    for needed in (os.path.dirname(sys.executable), CTX_COMMAND_FOLDER):
        if needed not in folders:
            folders.append(needed)
    result['PATH'] = os.pathsep.join(folders)
    return result


def as_variable(value):
    """Structures and booleans as JSON, everything else in its plain text form."""
    if isinstance(value, (dict, list, tuple, set, bool)):
        return json.dumps(sorted(value, key=str) if isinstance(value, set) else value)
    return str(value)


def _prefix(script_path, process):
    if process.get('command_prefix'):
        return process['command_prefix']
    return 'powershell' if script_path.endswith('.ps1') else None


def _proxy(ctx, kind):
    if kind in ('auto', 'http'):
        return CtxProxy(ctx, kind)
    if kind == 'none':
        return None
    raise NonRecoverableError('Unsupported process.ctx_proxy_type: {0} (use auto, http or none)'.format(kind))


def _execute(ctx, command, process, variables):
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
