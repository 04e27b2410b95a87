"""The line to the worker that runs a workflow's graphs (docs/decisions/2026-11-22-python-workflows.md)."""
import json
import os
import socket
import threading
from typing import Any, Callable, Dict, List, Optional

from cloudify.exceptions import NonRecoverableError

LINE_BYTES = 16 * 1024 * 1024  # of a message: the worker takes no longer one


class Channel:
    """Messages are sent from any thread, and `hear` is called with each that comes, in a thread of its own."""

    def __init__(self, folder: str, name: str, hear: Callable[[Dict[str, Any]], None],
                 lost: Callable[[], None]) -> None:
        self._hear = hear
        self._lost = lost
        self._sending = threading.Lock()
        self._answers: Dict[int, _Answer] = {}
        self._last = 0
        self._socket = _connected(folder, name)
        threading.Thread(target=self._read, name='worker', daemon=True).start()

    def send(self, *messages: Any) -> None:
        """Together: no other thread's come between them."""
        data = b''.join(line(message) for message in messages)
        with self._sending:
            self._socket.sendall(data)

    def ask(self, *messages: Any) -> '_Answer':
        """The last of them is answered. Raises what the worker refuses when the answer is looked at."""
        with self._sending:
            self._last += 1
            number = self._last
            answer = self._answers[number] = _Answer()
            data = [line(message) for message in messages[:-1]] + [line(dict(messages[-1], id=number))]
            for one in data:
                self._socket.sendall(one)
        return answer

    def _read(self) -> None:
        try:
            with self._socket.makefile('rb') as lines:
                for line in lines:
                    message = json.loads(line)
                    if 'of' in message:
                        self._answers[message['of']].rows += message['rows']
                    elif 're' in message:
                        answer = self._answers.pop(message['re'], None)
                        if answer is not None:
                            answer.put(message)
                    else:
                        self._hear(message)
        except OSError:
            pass  # the worker is gone, and with it this process
        finally:
            self._lost()
            for answer in list(self._answers.values()):
                answer.put({'error': 'The worker that runs this workflow is gone'})


class _Answer:
    """What the worker says to one message, with the `rows` that it says before."""

    def __init__(self) -> None:
        self.rows: List[Dict[str, Any]] = []
        self._message: Optional[Dict[str, Any]] = None
        self._done = threading.Event()
        self._told: List[Callable[[], None]] = []

    def put(self, message: Dict[str, Any]) -> None:
        self._message = message
        self._done.set()
        for tell in self._told:
            tell()

    def when_done(self, tell: Callable[[], None]) -> None:
        self._told.append(tell)
        if self._done.is_set():
            tell()

    @property
    def is_done(self) -> bool:
        return self._done.is_set()

    def get(self) -> Dict[str, Any]:
        self._done.wait()
        message = self._message or {}
        if 'error' in message:
            raise NonRecoverableError(message['error'])
        return message


def line(message: Any) -> bytes:
    if isinstance(message, bytes):
        return message
    try:
        data = json.dumps(message, allow_nan=False).encode() + b'\n'
    except (TypeError, ValueError) as error:
        raise NonRecoverableError('What a workflow gives to tasks has to be JSON: {0}'.format(error)) from error
    if len(data) > LINE_BYTES:
        raise NonRecoverableError('A task of {0} bytes is too large: {1} is the most'.format(len(data), LINE_BYTES))
    return data


def _connected(folder: str, name: str) -> socket.socket:
    """By way of a descriptor: the path of a socket may have some 100 bytes only."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect('/proc/self/fd/{0}/{1}'.format(opened, name))
        return connection
    finally:
        os.close(opened)
