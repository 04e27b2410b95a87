"""The HTTP side of the ctx proxy."""
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server(ThreadingHTTPServer):
    """Answers every POST body with `answer(body)`, a thread for each connection. Its owner accepts: the loop of
    socketserver would be asked to end up to a poll interval late, in every operation."""

    daemon_threads = True
    block_on_close = False  # a client that stays connected does not hold up the end of the operation

    def __init__(self, address, answer):
        super().__init__(address, Handler, bind_and_activate=False)
        self.socket.close()  # made by socketserver, not needed
        self.answer = answer


class Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    wbufsize = -1  # one packet for an answer
    disable_nagle_algorithm = True

    def do_POST(self):
        answer = self.server.answer(self.rfile.read(int(self.headers.get('Content-Length') or 0)))
        self.send_response(200)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_):
        """Nothing: a request is a `ctx` command, not news."""
