"""Commands on this machine."""
import os
import shlex
import subprocess
import threading
from typing import Any, Dict, List, Optional, Union

from cloudify.exceptions import CommandExecutionException


class CommandExecutionResponse:
    def __init__(self, command: Any, std_out: Optional[str], std_err: Optional[str], return_code: int) -> None:
        self.command = command
        self.std_out = std_out
        self.std_err = std_err
        self.return_code = return_code


class LocalCommandRunner:
    """Runs commands on this machine."""

    def __init__(self, logger: Any = None, host: str = 'localhost') -> None:
        if logger is None:
            from cloudify.helpers.loggers import setup_logger
            logger = setup_logger('LocalCommandRunner')
        self.logger = logger
        self.host = host

    def run(self, command: Union[str, List[str]], exit_on_failure: bool = True, stdout_pipe: bool = True,
            stderr_pipe: bool = True, cwd: Optional[str] = None, execution_env: Optional[Dict[str, str]] = None,
            encoding: str = 'utf-8') -> CommandExecutionResponse:
        """Raises CommandExecutionException when the command ends with a code other than 0; without
        `exit_on_failure` that is logged as an error only."""
        words = split(command) if isinstance(command, str) else list(command)
        shown = command if isinstance(command, str) else ' '.join(map(str, command))
        self.logger.debug('[%s] run: %s', self.host, shown)
        done = subprocess.run(
            words, stdout=subprocess.PIPE if stdout_pipe else None, stderr=subprocess.PIPE if stderr_pipe else None,
            stdin=subprocess.DEVNULL, cwd=cwd, env=dict(os.environ, **(execution_env or {})), check=False)
        out, err = [None if text is None else text.decode(encoding, 'replace').rstrip()
                    for text in (done.stdout, done.stderr)]
        if done.returncode != 0:
            error = CommandExecutionException(command=shown, error=err, output=out, code=done.returncode)
            if exit_on_failure:
                raise error
            self.logger.error(error)
        return CommandExecutionResponse(command=shown, std_out=out, std_err=err, return_code=done.returncode)


def split(command: str) -> List[str]:
    """Words as a shell has them, but a backslash is a character like any other: paths of Windows keep theirs."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=False)
    lexer.whitespace_split = True
    lexer.escape = ''
    lexer.commenters = ''
    return list(lexer)


class OutputConsumer:
    """Reads a stream to its end in a thread, and logs each line."""

    def __init__(self, out: Any, logger: Any, prefix: str, ctx: Any = None) -> None:
        self.out = out
        self.logger = logger
        self.prefix = prefix
        self.ctx = ctx
        self.output: List[str] = []
        self.consumer = threading.Thread(target=self._consume, daemon=True)
        self.consumer.start()

    def join(self) -> None:
        self.consumer.join()

    def _consume(self) -> None:
        if self.ctx is None:
            self._read()
            return
        from cloudify.state import current_ctx
        with current_ctx.push(self.ctx):
            self._read()

    def _read(self) -> None:
        for line in self.out:
            text = (line.decode('utf-8', 'replace') if isinstance(line, bytes) else line).rstrip('\r\n')
            self.output.append(text)
            self.logger.info('%s%s', self.prefix, text)
        self.out.close()
