"""A load balancer: `balancer.py FOLDER` passes each GET to the next server that a file of FOLDER names."""
import itertools
import os
import sys
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FOLDER = sys.argv[1]
turns = itertools.count()
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def next_backend():
    names = sorted(os.listdir(FOLDER))
    with open(os.path.join(FOLDER, names[next(turns) % len(names)])) as source:
        return source.read().strip()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        try:
            with direct.open(next_backend(), timeout=10) as answer:
                status, body = 200, answer.read()
        except (OSError, ZeroDivisionError) as error:
            status, body = 502, 'No application server answers: {0}\n'.format(error).encode()
        self.send_response(status)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = ThreadingHTTPServer(('127.0.0.1', 0), Handler)
print('Listening on 127.0.0.1 port {0} (balancer)'.format(server.server_port))
server.serve_forever()
