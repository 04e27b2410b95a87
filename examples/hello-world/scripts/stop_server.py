"""Stops the web server and removes its files."""
import os
import shutil
import signal
import socket
import time

from cloudify import ctx
from cloudify.exceptions import RecoverableError

WAIT_S = 10


def listens(address, port):
    with socket.socket() as probe:
        return probe.connect_ex((address, port)) == 0


properties = ctx.instance.runtime_properties
if 'pid' in properties:  # else it was never started
    port = ctx.node.properties['port']
    try:
        os.kill(properties['pid'], signal.SIGTERM)
        deadline = time.monotonic() + WAIT_S
        while listens(properties['address'], port):
            if time.monotonic() > deadline:
                raise RecoverableError('The web server still listens on port {0}'.format(port))
            time.sleep(0.05)
    except ProcessLookupError:
        ctx.logger.warning('The web server had ended already')
    shutil.rmtree(properties['folder'], ignore_errors=True)
    ctx.logger.info('The web server on port %s is stopped', port)
    properties.clear()
