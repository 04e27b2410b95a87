"""Parent of operations: `python3 -u operations_parent.py`, started by the worker with its channel as descriptor 3.

It has imported the SDK, and forks for every operation (docs/decisions/2026-11-22-warm-python.md). It is told where an
operation's folder is and nothing else, so it holds nothing of any operation. It has no threads and no connections.

From the worker, a line of JSON each: [id, folder, claim, mark], or [] to know whether this process is well. To it:
["alive"]; ["ready"], ["cannot", why]; ["started", id, pid], ["refused", id, why], ["ended", id, status of wait(2)].
"""
import gc
import json
import os
import select
import signal
import sys
import time
import traceback

import run_operation

CHANNEL = 3
# What operations need, so that none has to import it: their folder's files are the only thing that differs.
IMPORTED = (
    'cloudify.workflows.run', 'cloudify.plugins.lifecycle', 'concurrent.futures.thread', 'inspect',
    'cloudify.dispatch', 'cloudify.event_sink', 'cloudify.logs', 'cloudify.manager', 'cloudify.proxy.server',
    'cloudify.proxy.http_server', 'cloudify.resources', 'cloudify.utils', 'cloudify_rest_client.client',
    'encodings.idna', 'http.client', 'logging', 'script_runner.in_process', 'script_runner.process', 'script_runner.tasks')


def main():
    os.set_inheritable(CHANNEL, False)
    # What the worker was started with, and has let its own children inherit.
    os.closerange(CHANNEL + 1, max(map(int, os.listdir('/proc/self/fd'))) + 1)
    try:
        guard = Guard()
        os.chdir('/')
        run_operation.order_path()
        import_all()
    except Exception as error:
        say('cannot', '{0}: {1}'.format(type(error).__name__, error))
        raise
    threads = len(os.listdir('/proc/self/task'))
    if threads > 1:
        say('cannot', 'what is installed for this Python starts {0} threads when it is imported'.format(threads - 1))
        sys.exit(1)
    gc.collect()
    gc.freeze()
    say('ready')
    Parent(guard).serve()


def import_all():
    if run_operation.is_ours():
        for name in IMPORTED:
            __import__(name)
        if os.environ.get('REST_PROTOCOL') == 'https':
            import ssl  # noqa: F401


def say(*words):
    data = memoryview(json.dumps(words).encode() + b'\n')
    while data:
        data = data[os.write(CHANNEL, data):]


class Guard:
    """What only the C library can do. Raises where it cannot."""

    PR_SET_DUMPABLE = 4

    def __init__(self):
        import ctypes
        self._prctl = ctypes.CDLL(None, use_errno=True).prctl
        self._memmove = ctypes.memmove
        self._errno = ctypes.get_errno
        getenv = ctypes.CDLL(None).getenv
        getenv.restype = ctypes.c_void_p
        # Where the mark is that /proc shows: in the environment as this process was started with it.
        self._mark_at = getenv(b'TUTTI_OPERATION')
        self._mark_length = len(os.environb[b'TUTTI_OPERATION'])
        # Operations of the same user may not look into this process, nor take its channel.
        self._do(self.PR_SET_DUMPABLE, 0)

    def become_operation(self, mark):
        """In a process of its own, which can be looked into as any other. By the mark, it and what it forks is known to
        be of the operation, in whatever session that is, and also when nobody heard that it has begun."""
        data = mark.encode()
        if len(data) != self._mark_length:
            raise ValueError('a mark of another length')
        self._memmove(self._mark_at, data, len(data))
        self._do(self.PR_SET_DUMPABLE, 1)
        os.environ['TUTTI_OPERATION'] = mark

    def _do(self, what, value):
        if self._prctl(what, value, 0, 0, 0) != 0:
            raise OSError(self._errno(), 'prctl({0}, {1}) failed'.format(what, value))


class Parent:
    def __init__(self, guard):
        self._guard = guard
        self._children = {}
        self._input = b''
        # A signal handler of Python's own writes into the pipe, which wakes poll().
        self._woken, wake = os.pipe()
        for end in (self._woken, wake):
            os.set_blocking(end, False)
        self._wake = wake
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        self._poll = select.poll()
        self._poll.register(CHANNEL, select.POLLIN)
        self._poll.register(self._woken, select.POLLIN)

    def serve(self):
        while True:
            for descriptor, _ in self._poll.poll():
                if descriptor == CHANNEL:
                    self._read()
                else:
                    self._reap()

    def _read(self):
        data = os.read(CHANNEL, 65536)
        if not data:
            self._end()
        *lines, self._input = (self._input + data).split(b'\n')
        for line in lines:
            words = json.loads(line)
            if words:
                self._start(*words)
            else:
                say('alive')

    def _start(self, number, folder, claim, mark):
        try:
            pid = os.fork()
        except OSError as error:
            return say('refused', number, str(error))
        if pid == 0:
            try:
                self._become_operation(folder, claim, mark)
            finally:
                os._exit(1)  # whatever happens: there is one parent
        self._children[pid] = number
        say('started', number, pid)

    def _reap(self):
        try:
            os.read(self._woken, 4096)
        except BlockingIOError:
            pass
        while self._children:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            say('ended', self._children.pop(pid), status)

    def _end(self):
        """The worker is gone, or needs this process no more."""
        if self._children:
            # Its watcher finds what left the groups of operations by their parents, which must be there then.
            time.sleep(2)
        for pid in self._children:
            try:
                os.killpg(pid, signal.SIGKILL)
            except OSError:
                pass  # it has ended
        os._exit(0)

    def _become_operation(self, folder, claim, mark):
        """Never returns."""
        code = 1
        try:
            os.setsid()
            self._guard.become_operation(mark)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for descriptor in (CHANNEL, self._woken, self._wake):
                os.close(descriptor)
            self._children.clear()
            request = claimed(folder, claim)
            process = request.pop('process')
            surround(process)
            gc.enable()
            run_operation.run(folder, request)
            code = 0
        except SystemExit as error:
            code = run_operation.exit_code(error)
        except BaseException:
            traceback.print_exc()
        run_operation.end(code)


def claimed(folder, claim):
    """The request. Whoever renames it has it: the worker takes it back from a parent that has died."""
    path = os.path.join(folder, 'input.json')
    try:
        os.rename(os.path.join(folder, claim), path)
    except FileNotFoundError:
        os._exit(1)
    with open(path, encoding='utf-8') as source:
        return json.load(source)


def surround(process):
    """Gives this process what a new one would have been started with."""
    output = os.open(process['output'], os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW)
    null = os.open(os.devnull, os.O_RDONLY)
    for given, wanted in ((null, 0), (output, 1), (output, 2)):
        os.dup2(given, wanted)
    os.close(output)
    os.close(null)
    if process['is_output_link']:
        os.unlink(process['output'])
    os.environ.update(process['variables'])  # over those that the parent was started with, as this would have been
    os.chdir(process['folder'])


if __name__ == '__main__':
    main()
