"""A running script's output: read as it comes, logged by lines, remembered by its end."""
import os
import selectors
import subprocess
import time

READ_BYTES = 65536
LINE_LIMIT = 64 * 1024  # bytes; a longer line is logged in pieces, each short enough for a record of the log
REMEMBERED = 1024 * 1024  # bytes of each stream kept for the error message
WAITING_NOTE_S = 20


class Stream:
    """One pipe of the script."""

    def __init__(self, pipe, log, tag):
        self.pipe = pipe
        self._log = log
        self._tag = tag
        self._line = b''
        self._kept = b''
        self.ended = False

    def read(self):
        """Takes what is there, without waiting; False when there is nothing now."""
        try:
            chunk = os.read(self.pipe.fileno(), READ_BYTES)
        except BlockingIOError:
            return False
        self._kept = (self._kept + chunk)[-REMEMBERED:]
        self._line += chunk
        *lines, self._line = self._line.split(b'\n')
        for line in lines:
            self._say(line)
        if not chunk and self._line:
            self._say(self._line)
            self._line = b''
        elif len(self._line) > LINE_LIMIT:
            *begun, self._line = pieces(self._line)
            for piece in begun:
                self._say(piece)
        self.ended = not chunk
        return not self.ended

    def finish(self):
        """Logs a last line without newline, and lets go of the pipe.

        A daemon that the script left running may still hold the other end. It must not die of a closed pipe at its
        next line, so a `cat` of 1 MB takes over the reading for as long as the daemon lives.
        """
        while self.read():
            pass
        if self._line:
            self._say(self._line)
            self._line = b''
        if not self.ended:
            os.set_blocking(self.pipe.fileno(), True)
            subprocess.Popen(['cat'], stdin=self.pipe, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             start_new_session=True)
        self.pipe.close()

    def text(self):
        return self._kept.decode('utf-8', 'replace')

    def _say(self, line):
        if self._log is not None:
            for piece in pieces(line):
                self._log('%s %s', self._tag, piece.decode('utf-8', 'replace').rstrip('\r'))


def pieces(line):
    """A line in parts that are short enough, with no character of UTF-8 in two of them."""
    while len(line) > LINE_LIMIT:
        end = LINE_LIMIT
        while end > LINE_LIMIT - 4 and line[end] & 0xC0 == 0x80:
            end -= 1
        yield line[:end]
        line = line[end:]
    yield line


def follow(process, streams, logger):
    """Reads `streams` until the process ends; not until the pipes do, which a daemon may hold for ever."""
    selector = selectors.DefaultSelector()
    for stream in streams:
        os.set_blocking(stream.pipe.fileno(), False)
        selector.register(stream.pipe, selectors.EVENT_READ, stream)
    noted = time.monotonic()
    pause = 0.001
    while process.poll() is None:
        if selector.get_map():
            # Both pipes end with the process as a rule, and that wakes us; the limit is for daemons that hold them.
            ready = selector.select(0.05)
        else:
            time.sleep(pause)
            pause = min(pause * 2, 0.05)
            ready = []
        for key, _ in ready:
            if not key.data.read() and key.data.ended:
                selector.unregister(key.fileobj)
        if time.monotonic() - noted >= WAITING_NOTE_S:
            noted = time.monotonic()
            logger.info('Waiting for process %s to end...', process.pid)
    selector.close()
    for stream in streams:
        stream.finish()
