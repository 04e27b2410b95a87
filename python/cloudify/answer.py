"""An operation's answer, FOLDER/output.json. Its room is taken before the operation starts: what a script has done must
not count as failed because the disk was full when it was to be told. What the operation says stands in lines before it,
where the worker reads it, while the operation runs as well.

It is the file of the request, which is read by then, until it is complete: on some file systems a new file takes a
millisecond, and the request holds tokens."""
import errno
import json
import os
import threading

SAID = 512 * 1024  # bytes of lines; what is more has to be sent to the manager
RESERVED = SAID + 1024 * 1024
CUT = 16 * 1024  # characters of each text of an error for which there is no more room
NO_SPACE_EXIT = 75  # the worker knows it: nothing could be written, so nothing of it is said but this

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def is_no_space(error):
    return isinstance(error, OSError) and error.errno in _FULL


class AnswerFile:
    """Raises OSError when there is no room for an answer."""

    def __init__(self, folder):
        self._folder = folder
        self._finished = os.path.join(folder, 'output.json')
        self._written = 0
        self._unfinished = os.path.join(folder, 'input.json')
        self._open()
        os.ftruncate(self._file, 0)
        self._is_open = True
        self._lock = threading.RLock()  # a handler of signals may have something to say as well
        _reserve(self._file)

    def say(self, line):
        """Appends the line. False where there is no room for it, or no place any more."""
        data = line.encode() + b'\n'
        with self._lock:
            if not self._is_open or self._written + len(data) > SAID or _identity(self._file) != self._identity:
                return False
            try:
                self._append(data)
            except OSError:
                return False
            self._written += len(data)
            return True

    def write(self, output, text):
        """`text` is `output` as JSON. What there is no room for becomes shorter: an error says less, and a result that
        cannot be kept is asked for again."""
        with self._lock:
            self._is_open = False
        try:
            self._write(text)
        except OSError as error:
            if not is_no_space(error):
                raise
            self._write(json.dumps(_shorter(output, len(text), os.path.dirname(self._folder)), default=repr))

    def _write(self, text):
        data = memoryview(text.encode('utf-8', 'backslashreplace'))
        if _identity(self._file) != self._identity:
            # The operation has closed what it does not know; the number may be another file's by now.
            self._open()
        length = self._written + len(data)
        self._append(data)
        os.ftruncate(self._file, length)
        try:
            os.replace(self._unfinished, self._finished)
        except FileNotFoundError:
            # The operation has removed what it does not know.
            self._open()
            self._append(data)
            os.replace(self._unfinished, self._finished)

    def _open(self):
        self._file = os.open(self._unfinished, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        self._identity = _identity(self._file)
        self._written = min(self._written, os.fstat(self._file).st_size)  # if it is another one

    def _append(self, data):
        os.lseek(self._file, self._written, os.SEEK_SET)
        while data:
            data = data[os.write(self._file, data):]


def _identity(file):
    try:
        found = os.fstat(file)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _reserve(file):
    try:
        os.posix_fallocate(file, 0, RESERVED)
        return
    except AttributeError:
        pass  # not on every system
    except OSError as error:
        if is_no_space(error):
            raise
        # A file system that cannot: then the room is taken by writing.
    left = RESERVED
    while left:
        left -= os.write(file, bytes(min(left, 65536)))


def _shorter(output, length, folder):
    if output['type'] == 'result':
        from cloudify.error_wire import error_payload
        from cloudify.exceptions import RecoverableError
        return {'type': 'error', 'payload': error_payload(RecoverableError(
            'no space left on {0} for the result of {1} bytes, although the operation ended well'.format(
                folder, length)))}
    payload = {key: _cut(value) for key, value in output['payload'].items()}
    return dict(output, payload=dict(payload, known_exception_type_kwargs={'causes': []}))


def _cut(value):
    if not isinstance(value, str) or len(value) <= CUT:
        return value
    return '{0}\n[… {1} characters are left out: no space left for them …]\n{2}'.format(
        value[:CUT // 2], len(value) - CUT, value[-CUT // 2:])
