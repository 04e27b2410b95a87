"""Asks a running operation's `ctx` (docs/reference/operations.md, "The ctx protocol").

One file and the standard library only, of Python 2.7 as of 3: plugins copy it to other machines and run it there.
"""
import os
import sys

CTX_SOCKET_URL = 'CTX_SOCKET_URL'


class ScriptException(Exception):
    """What a script answers by abort-operation and retry-operation."""

    def __init__(self, message=None, retry=False):
        super(ScriptException, self).__init__('' if message is None else message)
        self.retry = retry


class RequestError(RuntimeError):
    """The operation could not do what was asked."""

    def __init__(self, ex_message, ex_type, ex_traceback):
        super(RequestError, self).__init__('{0}: {1}'.format(ex_type, ex_message))
        self.ex_message = ex_message
        self.ex_type = ex_type
        self.ex_traceback = ex_traceback


def client_req(socket_url, args, timeout=5):
    """The answer to `ctx ARGS…`. SystemExit after an answer by which the script has to end."""
    import json
    body = json.dumps({'args': args})
    answer = json.loads(_post(socket_url, body.encode('utf-8'), timeout).decode('utf-8'))
    kind, payload = answer['type'], answer['payload']
    if kind == 'error':
        raise RequestError(payload['message'], payload['type'], payload['traceback'])
    if kind == 'stop_operation':
        raise SystemExit(payload['message'])
    return payload


def main(args=None):
    """The command: ctx [-t SECONDS] [--socket-url URL] [--json-arg-prefix @] [-j] ARGS…"""
    import argparse
    import json
    parser = argparse.ArgumentParser(prog='ctx')
    parser.add_argument('-t', '--timeout', type=float, default=30)
    parser.add_argument('--socket-url', default=os.environ.get(CTX_SOCKET_URL))
    parser.add_argument('--json-arg-prefix', default='@')
    parser.add_argument('-j', '--json-output', action='store_true')
    parser.add_argument('args', nargs=argparse.REMAINDER)
    parsed = parser.parse_args(args)
    if not parsed.socket_url:
        raise RuntimeError('Missing {0} environment variable or --socket-url: ctx only works inside an operation'.format(
            CTX_SOCKET_URL))
    prefix = parsed.json_arg_prefix
    words = [json.loads(word[len(prefix):]) if prefix and word.startswith(prefix) else word for word in parsed.args]
    result = client_req(parsed.socket_url, words, parsed.timeout)
    if parsed.json_output:
        text = json.dumps(result)
    else:
        text = u'{0}'.format(result) if result else u''
    getattr(sys.stdout, 'buffer', sys.stdout).write(text.encode('utf-8') if not isinstance(text, bytes) else text)
    sys.stdout.flush()


def _post(url, body, timeout):
    try:
        from http.client import HTTPConnection
    except ImportError:
        from httplib import HTTPConnection  # Python 2
    scheme, _, place = url.partition('://')
    path = '/'
    if scheme == 'unix':
        import socket
        connection = HTTPConnection('localhost', timeout=timeout)
        connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.sock.settimeout(timeout)
        connection.sock.connect(place)
    elif scheme == 'http':
        host, _, rest = place.partition('/')
        path = '/' + rest
        connection = HTTPConnection(host, timeout=timeout)
    else:
        raise ValueError('{0} must be an address of http or unix, not {1}'.format(CTX_SOCKET_URL, url))
    try:
        connection.request('POST', path, body, {'Content-Type': 'application/json'})
        response = connection.getresponse()
        answer = response.read()
    finally:
        connection.close()
    if response.status != 200:
        raise RuntimeError('{0} answered {1}: {2}'.format(url, response.status, answer[:500]))
    return answer


if __name__ == '__main__':
    main()
