"""The exceptions that operations raise and what they mean to a workflow (docs/reference/python.md, "Exceptions")."""
from typing import Any, Dict, List, Optional

Causes = Optional[List[Dict[str, Any]]]


def portable(error: Any) -> Any:
    """`__reduce__` of an exception that is the same after pickling or copying, whatever its constructor takes:
    multiprocessing and executors hand exceptions on so."""
    return restored, (type(error), error.args, error.__dict__)


def restored(kind: Any, args: Any, attributes: Dict[str, Any]) -> Any:
    found = kind.__new__(kind, *args)
    found.args = args
    found.__dict__.update(attributes)
    return found


class NonRecoverableError(Exception):
    """The operation fails now, without a retry."""

    __reduce__ = portable

    def __init__(self, *args: Any, causes: Causes = None) -> None:
        self.causes = causes or []
        super().__init__(*args)


class RecoverableError(Exception):
    """The operation is retried, after `retry_after` seconds if given."""

    __reduce__ = portable

    def __init__(self, message: Any = '', retry_after: Optional[float] = None, causes: Causes = None,
                 **_: Any) -> None:
        self.retry_after = retry_after
        self.causes = causes or []
        text = str(message)
        suffix = '[retry_after={0}]'.format(retry_after)
        if retry_after is not None and suffix not in text:  # once, however often it is wrapped
            text = '{0} {1}'.format(text, suffix).lstrip()
        super().__init__(text)


class OperationRetry(RecoverableError):
    """The operation asks to be run again; it is shown as rescheduled, not as failed."""


class CloudifySerializationRetry(RecoverableError):
    """An instance waits for instances of lower index (decorators.serial_operation)."""


class HttpException(NonRecoverableError):
    """A file of the manager could not be read."""

    def __init__(self, url: str, code: int, message: str, causes: Causes = None) -> None:
        self.url = url
        self.code = code
        self.message = message
        super().__init__('{0} ({1}) : {2}'.format(code, url, message), causes=causes)


class CommandExecutionError(RuntimeError):
    """A command could not be run."""

    __reduce__ = portable

    def __init__(self, command: Any, error: Any = None) -> None:
        self.command = command
        self.error = error
        super().__init__("Failed executing command '{0}': {1}".format(command, error))


class CommandExecutionException(Exception):
    """A command ended with a code other than 0."""

    __reduce__ = portable

    def __init__(self, command: Any, error: Any, output: Any, code: int) -> None:
        self.command = command
        self.error = error
        self.output = output
        self.code = code
        super().__init__("Command '{0}' executed with an error. code: {1} error: {2} output: {3}".format(
            command, code, error or None, output or None))


class TimeoutException(Exception):
    """Something did not happen in time."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)


class ProcessException(Exception):
    """A script ended with a code other than 0 (script plugin)."""

    __reduce__ = portable

    def __init__(self, command: str, exit_code: int, stdout: Any = None, stderr: Any = None) -> None:
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

    def __init__(self, *args: Any, causes: Causes = None) -> None:
        self.causes = causes or []
        super().__init__(*args)


class PluginInstallationError(Exception):
    """A plugin could not be installed."""


class ClosedAMQPClientException(Exception):
    """A message broker's client was closed. Nothing here raises it: there is no broker."""


class InvalidBlueprintImport(RuntimeError):
    """A blueprint's import could not be used."""

    def __init__(self, *args: Any, causes: Causes = None) -> None:
        self.causes = causes or []
        super().__init__(*args)


class WorkflowFailed(RuntimeError):
    """A tasks graph failed."""

    def __init__(self, *args: Any, causes: Causes = None, hide_traceback: bool = False) -> None:
        self.causes = causes or []
        self.hide_traceback = hide_traceback
        super().__init__(*args)
