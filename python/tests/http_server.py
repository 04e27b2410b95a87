"""A small real HTTP server for tests: what it answers, and what it was asked."""
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server:
    """`answers`: by path below /api/v3.1, a function of the handler, or (status, JSON, headers)."""

    def __init__(self, answers=None, context=None):
        self.answers = answers or {}
        self.asked = []  # (method, path, headers, body)
        self.connections = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'
            wbufsize = -1

            def setup(self):
                outer.connections += 1
                super().setup()

            def answer(self):
                path = self.path.partition('?')[0].replace('/api/v3.1', '', 1)
                how = outer.answers.get(path, (200, {}))
                if callable(how):
                    how(self)
                    return
                self.asked()
                self.send(*how)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

            def asked(self):
                """Reads the request, and notes it."""
                body = b''.join(self.pieces())
                outer.asked.append((self.command, self.path, self.headers, body))
                return body

            def pieces(self):
                if self.headers.get('Transfer-Encoding') == 'chunked':
                    while True:
                        size = int(self.rfile.readline(), 16)
                        piece = self.rfile.read(size)
                        self.rfile.readline()
                        if not size:
                            return
                        yield piece
                left = int(self.headers.get('Content-Length') or 0)
                while left:
                    piece = self.rfile.read(min(left, 65536))
                    left -= len(piece)
                    yield piece

            def send(self, status, content=b'', headers=None):
                content = content if isinstance(content, bytes) else json.dumps(content).encode()
                self.send_response(status)
                for name, value in dict({'Content-Length': str(len(content))}, **(headers or {})).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.server.daemon_threads = True
        if context is not None:
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
