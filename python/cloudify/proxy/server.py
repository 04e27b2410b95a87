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


class Answer:
    """What is answered; `exit_code` is that of the `ctx` command, for who has asked for its text."""

    def __init__(self, kind, content, exit_code=None):
        self.kind = kind
        self.content = content
        self.exit_code = exit_code


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

    def answer(self, body: bytes) -> Answer:
        """The answer to one request's body. `words` instead of `args` asks for what the `ctx` command prints."""
        try:
            request = json.loads(body.decode('utf-8', 'replace'))
            if 'words' in request:
                return self._text(request['words'], bool(request.get('as_json')))
        except (TypeError, ValueError) as error:
            return Answer('application/json', json.dumps(_failure(error)).encode())
        return Answer('application/json', self._reply(request))

    def _text(self, words, as_json):
        try:
            args = [json_argument(word) if word.startswith('@') else word for word in words]
            reply = json.loads(self._reply({'args': args}))
            if reply['type'] == 'result':
                return Answer('text/plain; charset=utf-8', text_of(reply['payload'], as_json), 0)
            message = reply['payload']['message']
            if reply['type'] == 'error':
                message = '{0}: {1}'.format(reply['payload']['type'], message)
        except ValueError as error:
            message = str(error)
        return Answer('text/plain; charset=utf-8', message.encode('utf-8', 'backslashreplace'), 1)

    def _reply(self, request) -> bytes:
        try:
            with self._turn, current_ctx.push(self._ctx):
                reply = {'type': 'result', 'payload': self._result(request['args'])}
                return json.dumps(reply, default=_as_json).encode()
        except StopOperation as error:
            reply = {'type': 'stop_operation', 'payload': {'message': str(error)}}
        except Exception as error:
            reply = _failure(error)
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


def json_argument(word):
    try:
        return json.loads(word[1:])
    except ValueError as error:
        raise ValueError('ctx: {0} is not JSON after @: {1}'.format(word, error)) from None


def text_of(payload, as_json) -> bytes:
    """As bin/ctx_command.py has it."""
    text = json.dumps(payload) if as_json else str(payload) if payload else ''
    return text.encode('utf-8', 'surrogateescape')


def _failure(error):
    return {'type': 'error', 'payload': {
        'type': type(error).__name__, 'message': str(error), 'traceback': traceback.format_exc()}}


def _as_json(value):
    if isinstance(value, (set, frozenset)) or type(value).__name__ in ('dict_keys', 'dict_values', 'dict_items'):
        return list(value)
    if isinstance(value, bytes):
        return value.decode('utf-8', 'replace')
    return {'__non_json_serializable_repr__': repr(value)}
