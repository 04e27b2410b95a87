"""The exceptions that operations raise and what they mean to a workflow (docs/reference/python.md, "Exceptions")."""


class _WithCauses(Exception):
    def __init__(self, *args, **kwargs):
        self.causes = kwargs.pop('causes', None) or []
        super().__init__(*args)


class NonRecoverableError(_WithCauses):
    """The operation fails now, without a retry."""


class RecoverableError(_WithCauses):
    """The operation is retried, after `retry_after` seconds if given."""

    def __init__(self, message='', retry_after=None, causes=None):
        self.retry_after = retry_after
        text = str(message)
        if retry_after is not None:
            text = '{0} [retry_after={1}]'.format(text, retry_after).lstrip()
        super().__init__(text, causes=causes)


class OperationRetry(RecoverableError):
    """The operation asks to be run again; it is shown as rescheduled, not as failed."""


class CloudifySerializationRetry(RecoverableError):
    """An instance waits for instances of lower index (decorators.serial_operation)."""


class HttpException(NonRecoverableError):
    """A file of the manager could not be read."""

    def __init__(self, url, code, message, causes=None):
        self.url = url
        self.code = code
        self.message = message
        super().__init__('{0} ({1}) : {2}'.format(url, code, message), causes=causes)


class CommandExecutionError(Exception):
    """A command could not be run."""

    def __init__(self, command, error=None):
        self.command = command
        self.error = error
        super().__init__("Failed executing command '{0}': {1}".format(command, error))


class CommandExecutionException(Exception):
    """A command ended with a code other than 0."""

    def __init__(self, command, error, output, code):
        self.command = command
        self.error = error
        self.output = output
        self.code = code
        super().__init__(
            "Command '{0}' executed with an error. code: {1} error: {2} output: {3}".format(
                command, code, error or None, output or None))


class TimeoutException(Exception):
    """Something did not happen in time."""

    def __init__(self, *args):
        super().__init__(*args)


class ProcessException(Exception):
    """A script ended with a code other than 0 (script plugin)."""

    def __init__(self, command, exit_code, stdout=None, stderr=None):
        self.command = command
        self.exit_code = exit_code
        self.stdout = stdout
        self.stderr = stderr
        super().__init__('command: {0}, exit_code: {1}, stdout: {2}, stderr: {3}'.format(
            command, exit_code, stdout, stderr))


class ProcessKillCancelled(NonRecoverableError):
    """The operation was killed because its execution was."""


class StopAgent(Exception):
    """The agent's process ends after it has answered."""


class PluginInstallationError(Exception):
    """A plugin could not be installed."""


class InvalidBlueprintImport(Exception):
    """A blueprint's import could not be used."""


class WorkflowFailed(Exception):
    """A tasks graph failed."""

    def __init__(self, *args, **kwargs):
        self.hide_traceback = kwargs.pop('hide_traceback', False)
        super().__init__(*args)
