"""Serves `ctx` to a script's processes, one JSON answer for each request (docs/reference/operations.md, "The ctx protocol")."""
import json
import socket
import threading
import traceback

from cloudify.proxy.evaluate import PathDictAccess, evaluate
from cloudify.proxy.evaluate import evaluate as process_ctx_request
from cloudify.proxy.listener import listen
from cloudify.state import current_ctx

__all__ = ['CtxProxy', 'HTTPCtxProxy', 'PathDictAccess', 'StubCtxProxy', 'get_unused_port', 'process_ctx_request']


class StopOperation(Exception):
    """The script asked to abort or to retry: its `ctx` command fails, so that a careful script ends."""


class CtxProxy:
    """Owns the socket and its server: close() ends both.

    The socket listens at once and the HTTP server is imported behind it (25 ms), while the script starts.
    """

    def __init__(self, ctx, kind='auto', port=0):
        self._ctx = self.ctx = _current(ctx)
        self._turn = threading.Lock()  # ctx is not made for several commands at once
        self._listener = listen(kind, getattr(self._ctx, '_folder', None), port)
        self.socket_url = self._listener.url
        threading.Thread(target=self._serve, name='ctx proxy', daemon=True).start()

    def close(self):
        self._listener.close()

    def answer(self, body: bytes) -> bytes:
        """The answer to one request's body."""
        try:
            with self._turn, current_ctx.push(self._ctx):
                reply = {'type': 'result', 'payload': self._result(json.loads(body.decode('utf-8'))['args'])}
                return json.dumps(reply, default=_as_json).encode()
        except StopOperation as error:
            reply = {'type': 'stop_operation', 'payload': {'message': str(error)}}
        except Exception as error:
            reply = {'type': 'error', 'payload': {
                'type': type(error).__name__, 'message': str(error), 'traceback': traceback.format_exc()}}
        return json.dumps(reply).encode()

    def _serve(self):
        from cloudify.proxy.http_server import Server
        server = Server(self._listener.path, self.answer)
        while True:
            try:
                connection, address = self._listener.socket.accept()
            except OSError:
                return  # closed, perhaps before the import was done
            server.process_request(connection, address)

    def _result(self, args):
        result = evaluate(self._ctx, args)
        if isinstance(result, Exception):  # what abort_operation and retry_operation return
            raise StopOperation(str(result))
        return result


class HTTPCtxProxy(CtxProxy):
    """On a port, for clients that reach it through a tunnel. What they need is the whole of `socket_url`: it holds a
    secret, because any process of the machine can connect to a port."""

    def __init__(self, ctx, port=None):
        super().__init__(ctx, 'http', port or 0)
        self.port = self._listener.socket.getsockname()[1]


class StubCtxProxy:
    """Serves nothing."""

    socket_url = ''

    def close(self):
        """Nothing to end."""


def get_unused_port():
    """A port that nobody listened on a moment ago. Better: HTTPCtxProxy(ctx).port, which is taken already."""
    probe = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]
    finally:
        probe.close()


def _current(ctx):
    """The object itself, as what `cloudify.ctx` stands for is another in each thread."""
    unwrap = getattr(type(ctx), '_get_current_object', None)
    return ctx if unwrap is None else unwrap(ctx)


def _as_json(value):
    if isinstance(value, (set, frozenset)) or type(value).__name__ in ('dict_keys', 'dict_values', 'dict_items'):
        return list(value)
    if isinstance(value, bytes):
        return value.decode('utf-8', 'replace')
    return {'__non_json_serializable_repr__': repr(value)}
