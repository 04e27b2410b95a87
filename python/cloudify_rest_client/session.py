"""HTTP with the standard library alone: that part of `requests.Session` which the client asks for.

A session of `requests` can stand in its place (`CloudifyClient(session=…)`), for proxies, Kerberos or adapters.
"""
from __future__ import annotations

import json
import os
import re
import select
import socket
from http import client as http_client
from urllib.parse import quote, urlencode, urljoin, urlsplit

from cloudify_rest_client.failures import CertificateRefused, ConnectionFailed, ConnectTimedOut, ReadTimedOut, failure
from cloudify_rest_client.own_lock import OwnLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Iterator, List, Mapping, NoReturn, Optional, Tuple, Type
    from urllib.parse import SplitResult

CONNECT_TIMEOUT_S = 5
READ_TIMEOUT_S = 300
REPEATABLE = ('GET', 'PUT', 'DELETE')
MAX_REDIRECTS = 30
PIECE = 64 * 1024

# Never sent on to another host that a redirect names, nor out of TLS.
CREDENTIALS = ('authorization', 'authentication-token', 'execution-token', 'cookie')


class Session:
    """Keeps connections open between requests. Threads may share it: each request has a connection of its own."""

    def __init__(self) -> None:
        self._idle: Dict[Tuple[Any, ...], List[http_client.HTTPConnection]] = {}
        self._contexts: Dict[Any, Any] = {}
        self._lock = OwnLock()

    def get(self, url: str, **options: Any) -> Response:
        return self.request('GET', url, **options)

    def put(self, url: str, **options: Any) -> Response:
        return self.request('PUT', url, **options)

    def post(self, url: str, **options: Any) -> Response:
        return self.request('POST', url, **options)

    def patch(self, url: str, **options: Any) -> Response:
        return self.request('PATCH', url, **options)

    def delete(self, url: str, **options: Any) -> Response:
        return self.request('DELETE', url, **options)

    def request(self, method: str, url: str, params: Optional[Mapping[str, Any]] = None, data: Any = None,
                headers: Optional[Mapping[str, str]] = None, stream: bool = False, verify: Any = True,
                timeout: Any = None) -> Response:
        """`data`: text, bytes, a file, an object with `read` and `len`, or an iterator of bytes. `verify`: True, False
        or the path of the certificates to trust. `timeout`: seconds, or (seconds to connect, seconds to read).

        Raises ConnectionFailed and its kinds, and ReadTimedOut."""
        url = with_query(url, params)
        body = Body(data)
        sent = {name: str(value) for name, value in (headers or {}).items() if value is not None}
        history: List[Response] = []
        while True:
            response = self._exchange(method, url, body, sent, verify, timeout)
            target = response.redirects_to()
            if target is None:
                response.history = history
                if not stream:
                    response.content
                return response
            if len(history) == MAX_REDIRECTS:
                raise failure(ConnectionFailed, 'More than {0} redirects, the last to {1}'.format(MAX_REDIRECTS, target))
            history.append(response)
            response.content  # so that the connection can be used again
            if response.status_code not in (307, 308) and method not in ('GET', 'HEAD'):
                method, body = 'GET', Body(None)
            elif not body.rewind():
                raise failure(ConnectionFailed, '{0} redirects to {1}, and the body cannot be sent again'.format(
                    url, target))
            if not _same_host(url, target):
                sent = {name: value for name, value in sent.items() if name.lower() not in CREDENTIALS}
            url = target

    def open(self, url: str, verify: Any = True, timeout: Any = None) -> None:
        """Connects ahead of the first request, so that it does not wait."""
        key = self._key(url, verify)
        connection = self._connect(key, url, verify, _timeouts(timeout))
        self._put_back(key, connection)

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, {}
        for connections in idle.values():
            for connection in connections:
                connection.close()

    def __del__(self) -> None:
        self.close()

    def _exchange(self, method: str, url: str, body: Body, headers: Dict[str, str], verify: Any,
                  timeout: Any) -> Response:
        key = self._key(url, verify)
        timeouts = _timeouts(timeout)
        kept = self._take(key)
        if kept is not None:
            try:
                return self._ask(kept, key, method, url, body, headers, timeouts)
            except ConnectionFailed:
                # The server may close a connection that was idle, just now. What may not happen twice is not sent twice.
                if method not in REPEATABLE or not body.rewind():
                    raise
        connection = self._connect(key, url, verify, timeouts)
        return self._ask(connection, key, method, url, body, headers, timeouts)

    def _ask(self, connection: http_client.HTTPConnection, key: Tuple[Any, ...], method: str, url: str, body: Body,
             headers: Dict[str, str], timeouts: Tuple[Any, Any]) -> Response:
        parts = urlsplit(url)
        target = (parts.path or '/') + ('?' + parts.query if parts.query else '')
        try:
            if connection.sock is not None:
                connection.sock.settimeout(timeouts[1])
            try:
                connection.request(method, target, body.content, dict(headers, **body.headers(method)),
                                   encode_chunked=body.is_chunked)
            except (BrokenPipeError, ConnectionResetError):
                # A server that refuses a long body answers before it has read all of it, and closes.
                return Response(url, connection.getresponse(), None, connection)
            answer = connection.getresponse()
        except BaseException as error:
            connection.close()
            _raise_named(error, url)
        release = None if answer.will_close else lambda: self._put_back(key, connection)
        return Response(url, answer, release, connection)

    def _connect(self, key: Tuple[Any, ...], url: str, verify: Any,
                 timeouts: Tuple[Any, Any]) -> http_client.HTTPConnection:
        parts = urlsplit(url)
        connection: http_client.HTTPConnection
        try:
            if parts.scheme == 'https':
                connection = http_client.HTTPSConnection(
                    parts.hostname or '', _port(parts), timeout=timeouts[0], context=self._context(verify))
            elif parts.scheme == 'http':
                connection = http_client.HTTPConnection(parts.hostname or '', _port(parts), timeout=timeouts[0])
            else:
                raise ConnectionFailed('{0} is no address of a manager'.format(url))
            connection.connect()
            connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except BaseException as error:
            _raise_named(error, url, connecting=True)
        return connection

    def _context(self, verify: Any) -> Any:
        with self._lock:
            found = self._contexts.get(verify)
        if found is None:
            import ssl
            trusted = os.environ.get('REQUESTS_CA_BUNDLE') if verify is True else verify or None
            found = ssl.create_default_context(
                cafile=trusted if trusted and not os.path.isdir(trusted) else None,
                capath=trusted if trusted and os.path.isdir(trusted) else None)
            if verify is False:
                found.check_hostname = False
                found.verify_mode = ssl.CERT_NONE
            with self._lock:
                self._contexts[verify] = found
        return found

    def _key(self, url: str, verify: Any) -> Tuple[Any, ...]:
        parts = urlsplit(url)
        # A forked process has copies of the connections, on which answers are for who asked in the other process.
        return os.getpid(), parts.scheme, parts.hostname, parts.port, verify

    def _take(self, key: Tuple[Any, ...]) -> Optional[http_client.HTTPConnection]:
        while True:
            with self._lock:
                connections = self._idle.get(key)
                if not connections:
                    return None
                connection = connections.pop()
            if not _has_ended(connection):
                return connection
            connection.close()

    def _put_back(self, key: Tuple[Any, ...], connection: http_client.HTTPConnection) -> None:
        with self._lock:
            self._idle.setdefault(key, []).append(connection)


class Body:
    """What is sent, and what the server has to know of it beforehand."""

    def __init__(self, data: Any) -> None:
        self.content = data.encode() if isinstance(data, str) else data
        self._start = data.tell() if hasattr(data, 'seek') and hasattr(data, 'tell') else None
        self._length = self._measure()
        self.is_chunked = self.content is not None and self._length is None

    def headers(self, method: str) -> Dict[str, str]:
        if self.content is None:
            return {'Content-Length': '0'} if method in ('POST', 'PUT', 'PATCH') else {}
        if self._length is None:
            return {'Transfer-Encoding': 'chunked'}
        return {'Content-Length': str(self._length)}

    def rewind(self) -> bool:
        """Whether it can be sent once more; makes it ready to be."""
        if self.content is None or isinstance(self.content, (bytes, bytearray)):
            return True
        if self._start is None:
            return False
        self.content.seek(self._start)
        return True

    def _measure(self) -> Optional[int]:
        if self.content is None:
            return 0
        if isinstance(self.content, (bytes, bytearray)):
            return len(self.content)
        length = getattr(self.content, 'len', None)
        if isinstance(length, int):
            return length
        if self._start is None:
            return None
        try:
            end = self.content.seek(0, os.SEEK_END)
            self.content.seek(self._start)
        except (OSError, ValueError):
            return None
        return int(end) - int(self._start)


class Response:
    """An answer. Its body is read when it is asked for: whole as `content`, or bit by bit, once."""

    history: List[Response]

    def __init__(self, url: str, answer: http_client.HTTPResponse, release: Any,
                 connection: http_client.HTTPConnection) -> None:
        self.url = url
        self.status_code = answer.status
        self.reason = answer.reason
        self.headers = answer.headers
        self.raw = answer
        self.history = []
        self._release = release
        self._connection: Optional[http_client.HTTPConnection] = connection
        self._content: Optional[bytes] = None

    @property
    def ok(self) -> bool:
        return self.status_code < 400

    @property
    def content(self) -> bytes:
        if self._content is None:
            self._content = b''.join(self.iter_content(PIECE))
        return self._content

    @property
    def text(self) -> str:
        return self.content.decode(self.raw.headers.get_content_charset() or 'utf-8', 'replace')

    def json(self) -> Any:
        return json.loads(self.content)

    def iter_content(self, chunk_size: int = 8192) -> Iterator[bytes]:
        """Raises ConnectionFailed when the connection ends before the body does, and ReadTimedOut."""
        if self._content is not None:
            yield from (self._content[at:at + chunk_size] for at in range(0, len(self._content), chunk_size))
            return
        try:
            while True:
                piece = self.raw.read(chunk_size)
                if not piece:
                    break
                yield piece
            if self.raw.length:  # http.client ends a read of a given size without a word
                raise ConnectionFailed('{0} bytes of the body did not come'.format(self.raw.length))
        except Exception as error:
            self.close()
            _raise_named(error, self.url)
        self._end()

    def iter_lines(self) -> Iterator[bytes]:
        rest = b''
        for piece in self.iter_content(8192):
            lines = (rest + piece).split(b'\n')
            rest = lines.pop()
            for line in lines:
                yield line.rstrip(b'\r')
        if rest:
            yield rest

    def close(self) -> None:
        """Ends the connection, unless all of the body has been read and others use it by now."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def redirects_to(self) -> Optional[str]:
        if self.status_code not in (301, 302, 303, 307, 308) or not self.headers.get('Location'):
            return None
        return urljoin(self.url, quoted(self.headers['Location']))

    def _end(self) -> None:
        if self._connection is not None:
            connection, self._connection = self._connection, None
            self.raw.close()
            if self._release is None:
                connection.close()
            else:
                self._release()


def with_query(url: str, params: Optional[Mapping[str, Any]]) -> str:
    """A value of None is left out, a list is repeated."""
    given = {name: value for name, value in (params or {}).items() if value is not None}
    if not given:
        return quoted(url)
    return quoted(url) + ('&' if '?' in url else '?') + urlencode(given, doseq=True)


def quoted(url: str) -> str:
    """Escapes what may not stand in an address; what is escaped already stays as it is."""
    return re.sub('%(?![0-9A-Fa-f]{2})', '%25', quote(url, safe="%/:?#[]@!$&'()*+,;=~-._"))


def _timeouts(timeout: Any) -> Tuple[Any, Any]:
    if isinstance(timeout, (tuple, list)):
        return timeout[0], timeout[1]
    if timeout is None:
        return CONNECT_TIMEOUT_S, READ_TIMEOUT_S
    return timeout, timeout


def _same_host(one: str, other: str) -> bool:
    before, after = urlsplit(one), urlsplit(other)
    if before.hostname != after.hostname or (before.scheme == 'https' and after.scheme != 'https'):
        return False
    return _port(before) == _port(after) or (_port(before), _port(after)) == (80, 443)


def _port(parts: SplitResult) -> int:
    return parts.port or (443 if parts.scheme == 'https' else 80)


def _has_ended(connection: http_client.HTTPConnection) -> bool:
    """An idle connection has nothing to read but its end."""
    poll = select.poll()
    poll.register(connection.sock, select.POLLIN)
    return bool(poll.poll(0))


def _raise_named(error: BaseException, url: str, connecting: bool = False) -> NoReturn:
    """Raises the error that says what happened at which address; what is not about the connection stays what it is."""
    kind: Type[OSError] = ConnectionFailed
    message = 'No answer from {0}: {1}'.format(_address(url), str(error) or repr(error))
    if isinstance(error, socket.timeout):
        kind = ConnectTimedOut if connecting else ReadTimedOut
        message = '{0} did not answer in time'.format(_address(url))
    elif type(error).__module__ == 'ssl':
        kind, message = CertificateRefused, 'No TLS with {0}: {1}'.format(_address(url), error)
    elif not isinstance(error, (OSError, http_client.HTTPException)) or isinstance(error, http_client.InvalidURL):
        raise error
    raise failure(kind, message) from error


def _address(url: str) -> str:
    parts = urlsplit(url)
    return '{0}://{1}'.format(parts.scheme, parts.netloc.rpartition('@')[2])
