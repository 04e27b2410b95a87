"""Small functions that scripts import from here."""
import os
import random
import shlex
import string
import subprocess
import tempfile

from cloudify.error_wire import error_traceback
from cloudify.exceptions import CommandExecutionException
from cloudify.resources import exec_folder


class CommandExecutionResponse:
    def __init__(self, command, std_out, std_err, return_code):
        self.command = command
        self.std_out = std_out
        self.std_err = std_err
        self.return_code = return_code


class LocalCommandRunner:
    """Runs commands on this machine."""

    def __init__(self, logger=None, host='localhost'):
        self.logger = logger
        self.host = host

    def run(self, command, exit_on_failure=True, stdout_pipe=True, stderr_pipe=True, cwd=None, execution_env=None,
            encoding='utf-8'):
        """Raises CommandExecutionException when the command ends with a code other than 0."""
        words = shlex.split(command) if isinstance(command, str) else list(command)
        if self.logger:
            self.logger.debug('Executing: %s', command)
        done = subprocess.run(
            words, stdout=subprocess.PIPE if stdout_pipe else None, stderr=subprocess.PIPE if stderr_pipe else None,
            stdin=subprocess.DEVNULL, cwd=cwd, env=dict(os.environ, **(execution_env or {})), check=False)
        out, err = [(text or b'').decode(encoding, 'replace').rstrip() for text in (done.stdout, done.stderr)]
        if done.returncode != 0 and exit_on_failure:
            raise CommandExecutionException(command, err, out, done.returncode)
        return CommandExecutionResponse(command, out, err, done.returncode)


def setup_logger(logger_name, logger_level=None, handlers=None, remove_existing_handlers=True, logger_format=None,
                 propagate=True):
    """A named logger that writes to standard error, or to the given handlers."""
    import logging
    logger = logging.getLogger(logger_name)
    if remove_existing_handlers:
        logger.handlers[:] = []
    formatter = logging.Formatter(logger_format or '%(asctime)s [%(levelname)s] [%(name)s] %(message)s')
    for handler in handlers or [logging.StreamHandler()]:
        handler.setFormatter(formatter)
        logger.addHandler(handler)
    logger.setLevel(logger_level or logging.DEBUG)
    logger.propagate = propagate
    return logger


def exception_to_error_cause(exception, tb=None):
    """An entry for `causes=` of an exception: {message, type, traceback}."""
    text = error_traceback(exception.with_traceback(tb) if tb is not None else exception)
    return {'message': str(exception), 'type': type(exception).__name__, 'traceback': text}


def create_temp_folder():
    return tempfile.mkdtemp(dir=exec_folder())


def get_exec_tempdir():
    return exec_folder() or tempfile.gettempdir()


def id_generator(size=6, chars=string.ascii_uppercase + string.digits):
    return ''.join(random.SystemRandom().choice(chars) for _ in range(size))


def get_tenant():
    from cloudify import ctx
    return ctx.tenant


def get_tenant_name():
    return get_tenant().get('name')


def get_manager_rest_service_host():
    return os.environ['REST_HOST'].split(',')


def get_manager_rest_service_port():
    return int(os.environ['REST_PORT'])
