"""`ctx ARGS…`: asks the running operation's ctx (docs/reference/operations.md, "The ctx command").

A script calls this many times, so it takes 11 ms instead of 30: no site (-S), and the C modules below `json` and
`socket` without the Python around them (regular expressions, enums, selectors).
"""
import os
import sys

USAGE = 'usage: ctx [-t SECONDS] [--socket-url URL] [--json-arg-prefix @] [-j] ARGS…'


class ScannerRules:
    """What the C scanner of `json` reads from a JSONDecoder."""
    strict = True
    object_hook = object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float
    memo = {}


def main(argv):
    options, words = parse(argv)
    url = options['socket-url'] or os.environ.get('CTX_SOCKET_URL')
    if not url:
        fail('Missing CTX_SOCKET_URL environment variable or --socket-url: ctx only works inside an operation')
    body = '{"args": [' + ', '.join(argument(word, options['json-arg-prefix']) for word in words) + ']}'
    reply = decode(exchange(url, body.encode('utf-8', 'surrogateescape'), options['timeout']))
    kind, payload = reply['type'], reply['payload']
    if kind == 'error':
        fail('{0}: {1}'.format(payload['type'], payload['message']))
    if kind == 'stop_operation':
        fail(payload['message'])
    sys.stdout.buffer.write(text_of(payload, options['json']).encode('utf-8', 'surrogateescape'))
    sys.stdout.flush()


def parse(argv):
    """Options stand before the first argument, so that arguments may begin with a dash."""
    options = {'timeout': 30.0, 'socket-url': None, 'json-arg-prefix': '@', 'json': False}
    rest = list(argv)
    while rest and rest[0].startswith('-') and rest[0] != '-':
        name, has_value, value = rest.pop(0).partition('=')
        if name == '--':
            break
        if name in ('-j', '--json-output'):
            options['json'] = True
            continue
        if name in ('-h', '--help'):
            print(USAGE)
            sys.exit(0)
        if name.startswith('-t') and not name.startswith('--') and len(name) > 2:
            name, has_value, value = '-t', '=', name[2:]
        key = {'-t': 'timeout', '--timeout': 'timeout', '--socket-url': 'socket-url',
               '--json-arg-prefix': 'json-arg-prefix'}.get(name)
        if key is None or (not has_value and not rest):
            fail('{0}\nctx: {1} {2}'.format(USAGE, name, 'is unknown' if key is None else 'needs a value'), 2)
        value = value if has_value else rest.pop(0)
        if key == 'timeout':
            try:
                value = float(value)
            except ValueError:
                fail('{0}\nctx: --timeout takes seconds, not {1}'.format(USAGE, value), 2)
        options[key] = value
    return options, rest


def argument(word, json_prefix):
    """An argument as JSON text. After the prefix it is JSON already."""
    if json_prefix and word.startswith(json_prefix):
        text = word[len(json_prefix):]
        try:
            decode(text)
        except Exception as error:
            fail('ctx: {0} is not JSON after {1}: {2}'.format(word, json_prefix, error))
        return text
    try:
        from _json import encode_basestring_ascii
    except ImportError:
        from json import dumps as encode_basestring_ascii
    return encode_basestring_ascii(word.encode('utf-8', 'surrogateescape').decode('utf-8', 'replace'))


def decode(text):
    """JSON text → value."""
    try:
        from _json import make_scanner
        scan = make_scanner(ScannerRules)
    except (ImportError, AttributeError):  # not CPython, or one whose scanner asks for more
        import json
        return json.loads(text)
    text = text.strip(' \t\r\n')
    try:
        value, end = scan(text, 0)
    except StopIteration:
        raise ValueError('not a JSON value') from None
    if end != len(text):
        raise ValueError('there is more text after the value')
    return value


def text_of(payload, as_json):
    if as_json:
        import json
        return json.dumps(payload)
    return str(payload) if payload else ''


def exchange(url, body, timeout):
    """POST, over a bare socket. The answer's body."""
    scheme, _, place = url.partition('://')
    host_port, _, path = ('localhost', '', '') if scheme == 'unix' else place.partition('/')
    host, _, port = host_port.rpartition(':')
    if not (scheme == 'unix' and place) and not (scheme == 'http' and host and port.isdigit()):
        fail('ctx: CTX_SOCKET_URL must look like unix:///folder/socket or http://127.0.0.1:1234/secret, not {0}'.format(
            url))
    head = ('POST /{0} HTTP/1.1\r\nHost: {1}\r\nContent-Type: application/json\r\nContent-Length: {2}\r\n'
            'Connection: close\r\n\r\n').format(path, host_port, len(body))
    try:
        connection = connect_in(place, timeout) if scheme == 'unix' else connect(host.strip('[]'), int(port), timeout)
        connection.sendall(head.encode() + body)
        chunks = []
        while True:
            chunk = connection.recv(65536)
            if not chunk:
                break
            chunks.append(chunk)
    except OSError as error:
        fail('ctx: the operation at {0} did not answer within {1} s: {2}'.format(url, timeout, error))
    header, _, answer = b''.join(chunks).partition(b'\r\n\r\n')
    status = header.split(b' ', 2)[1:2]
    if status != [b'200']:
        fail('ctx: {0} answered {1}'.format(url, header.split(b'\r\n')[0].decode('latin-1') or 'nothing'))
    if b'\r\ntransfer-encoding: chunked' in header.lower():
        answer = unchunk(answer)
    return answer.decode('utf-8')


def unchunk(data):
    result = b''
    while data:
        size, _, data = data.partition(b'\r\n')
        length = int(size.split(b';')[0], 16)
        if length == 0:
            break
        result += data[:length]
        data = data[length + 2:]
    return result


def connect_in(path, timeout):
    import _socket
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.settimeout(timeout)
    connection.connect(path)
    return connection


def connect(host, port, timeout):
    import _socket
    failure = None
    # Bytes: a text host name loads the IDNA codec, 4 ms.
    for family, kind, protocol, _, address in _socket.getaddrinfo(host.encode(), port, 0, _socket.SOCK_STREAM):
        connection = _socket.socket(family, kind, protocol)
        connection.settimeout(timeout)
        try:
            connection.connect(address)
            return connection
        except OSError as error:
            failure = error
            connection.close()
    raise failure


def fail(text, code=1):
    sys.stderr.write(text + '\n')
    sys.exit(code)

