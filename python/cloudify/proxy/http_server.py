"""The HTTP side of the ctx proxy."""
from http.server import BaseHTTPRequestHandler
from socketserver import BaseServer, ThreadingMixIn

BODY_LIMIT = 64 * 1024 * 1024


class Server(ThreadingMixIn, BaseServer):
    """Answers every POST body at `path` with `answer(body)`, a thread for each connection. Its owner accepts: the loop
    of socketserver would be asked to end up to a poll interval late, in every operation."""

    daemon_threads = True
    block_on_close = False  # a client that stays connected does not hold up the end of the operation

    def __init__(self, path, answer):
        super().__init__(None, Handler)
        self._path = path
        self.answer = answer

    def is_asked(self, path):
        """Whether a request for `path` is for us: from whom was told the secret in it, where there is one."""
        if self._path == '/':
            return True
        from hmac import compare_digest
        return compare_digest(path.encode('utf-8', 'replace'), self._path.encode())

    def shutdown_request(self, request):
        request.close()

    def handle_error(self, request, client_address):
        """Nothing: the client is gone, and what it asked for is done or was never asked."""


class Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    wbufsize = -1  # one packet for an answer
    timeout = 60  # a client that says nothing keeps no thread

    def do_POST(self):
        # Before the body: who does not know the path is not listened to.
        if not self.server.is_asked(self.path):
            return self._refuse(403, b'not the address in CTX_SOCKET_URL\n')
        length = self.headers.get('Content-Length') or '0'
        if not length.isdigit() or int(length) > BODY_LIMIT:
            return self._refuse(413, b'not a body of at most 64 MiB with a Content-Length\n')
        answer = self.server.answer(self.rfile.read(int(length)))
        self._reply(200, answer.kind, answer.content, answer.exit_code)

    def address_string(self):
        return ''

    def log_message(self, *_):
        """Nothing: a request is a `ctx` command, not news."""

    def _refuse(self, status, text):
        self.close_connection = True
        self._reply(status, 'text/plain', text)

    def _reply(self, status, kind, content, exit_code=None):
        self.send_response(status)
        if exit_code is not None:
            self.send_header('Ctx-Exit', str(exit_code))
        self.send_header('Content-Type', kind)
        self.send_header('Content-Length', str(len(content)))
        if self.close_connection:
            self.send_header('Connection', 'close')
        self.end_headers()
        self.wfile.write(content)
