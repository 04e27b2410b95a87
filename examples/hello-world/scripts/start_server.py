"""Starts a web server and waits until it answers."""
import http.client
import os
import subprocess
import sys
import tempfile
import time

from cloudify import ctx
from cloudify.exceptions import NonRecoverableError
from cloudify.state import ctx_parameters as inputs

ADDRESS = '127.0.0.1'
WAIT_S = 10


def start(folder, port):
    with open(os.path.join(folder, 'server.log'), 'wb') as log:
        return subprocess.Popen(
            [sys.executable, '-m', 'http.server', str(port), '--bind', ADDRESS,
             '--directory', os.path.join(folder, 'www')],
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)


def answers(port):
    connection = http.client.HTTPConnection(ADDRESS, port, timeout=1)
    try:
        connection.request('GET', '/')
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def wait_until_it_answers(server, folder, port):
    deadline = time.monotonic() + WAIT_S
    while server.poll() is None and time.monotonic() < deadline:
        if answers(port):
            return
        time.sleep(0.05)
    server.kill()
    with open(os.path.join(folder, 'server.log')) as log:
        raise NonRecoverableError('The web server does not answer on port {0}: {1}'.format(port, log.read()[-500:]))


port = ctx.node.properties['port']
folder = tempfile.mkdtemp(prefix='hello-world-')
os.mkdir(os.path.join(folder, 'www'))
ctx.download_resource_and_render(
    'resources/index.html', os.path.join(folder, 'www', 'index.html'), {'greeting': inputs.greeting})

server = start(folder, port)
ctx.instance.runtime_properties.update({'pid': server.pid, 'folder': folder, 'address': ADDRESS})
ctx.instance.update()  # kept even if this worker dies while it waits
wait_until_it_answers(server, folder, port)
ctx.logger.info('The web server answers on http://%s:%s/', ADDRESS, port)
