"""Where a ctx proxy listens: a unix socket that only the operation's user reaches, else a port with a secret."""
import os
import socket

# Of commands that come at once. A client with a time limit is not made to wait by a unix socket when they are more: it
# fails. The system has a limit of its own, mostly as high.
BACKLOG = 4096


class Listener:
    """Owns the socket: close() ends it and wakes whoever accepts. `path` is what a request must ask for."""

    def __init__(self, sock, url, path='/', file=None):
        self.socket = sock
        self.url = url
        self.path = path
        self._file = file

    def close(self):
        try:
            self.socket.shutdown(socket.SHUT_RDWR)  # wakes accept() where close() alone would not
        except OSError:
            pass  # not on every system; the thread is a daemon
        self.socket.close()
        if self._file is not None:
            try:
                os.unlink(self._file)
            except OSError:
                pass  # its folder is removed with the operation


def listen(kind, folder, port=0):
    """`kind` is auto or http. A client of http's own needs an address of that kind; `ctx` takes both. `port` is for
    http, where whoever forwards it wants to know it ahead."""
    if kind == 'auto' and folder is not None:
        try:
            return _listen_in(folder)
        except (OSError, AttributeError):
            pass  # too long a path (some 100 bytes), or a system without such sockets
    return _listen_on_port(port)


def _listen_in(folder):
    """The worker made the folder, closed to all users but the operation's."""
    path = os.path.join(os.path.abspath(folder), 'ctx-' + os.urandom(4).hex())
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(path)
        os.chmod(path, 0o600)
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    return Listener(listener, 'unix://' + path, file=path)


def _listen_on_port(port):
    """Any process of the machine can connect, so what it asks for must begin with a secret. The address is a number:
    `localhost` may be ::1 too, where somebody else could listen on the same port and be told the secret."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if port:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(('127.0.0.1', port))
        listener.listen(BACKLOG)
    except OSError:
        listener.close()
        raise
    path = '/' + os.urandom(32).hex()
    return Listener(listener, 'http://127.0.0.1:{0}{1}'.format(listener.getsockname()[1], path), path)
