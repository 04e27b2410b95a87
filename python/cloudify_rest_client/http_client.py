"""Requests below the manager's address: credentials, JSON, errors."""
from __future__ import annotations

import base64
import json
import logging
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Tuple, Union

from cloudify_rest_client import exceptions
from cloudify_rest_client.failures import CertificateRefused, ConnectionFailed, failure, kinds_of
from cloudify_rest_client.session import Session

DEFAULT_PORT = 80
SECURED_PORT = 443
DEFAULT_PROTOCOL = 'http'
SECURED_PROTOCOL = 'https'
DEFAULT_API_VERSION = 'v3.1'
DEFAULT_TIMEOUT_S = (5, 300)  # to connect, to read

TENANT_HEADER = 'Tenant'
TOKEN_HEADER = 'Authentication-Token'
AUTHORIZATION_HEADER = 'Authorization'
EXECUTION_TOKEN_HEADER = 'Execution-Token'

Status = Union[int, Tuple[int, ...]]


class HTTPClient:
    """`session`: anything with the methods of `requests.Session` that Session has."""

    def __init__(self, host: str, port: Optional[int] = None, protocol: str = DEFAULT_PROTOCOL,
                 api_version: str = DEFAULT_API_VERSION, headers: Optional[Mapping[str, str]] = None,
                 query_params: Optional[Mapping[str, Any]] = None, cert: Optional[str] = None, trust_all: bool = False,
                 username: Optional[str] = None, password: Optional[str] = None, token: Optional[str] = None,
                 tenant: Optional[str] = None, kerberos_env: Any = None, timeout: Any = None,
                 session: Any = None) -> None:
        self.port = port or (SECURED_PORT if protocol == SECURED_PROTOCOL else DEFAULT_PORT)
        self.host = host
        self.protocol = protocol
        self.api_version = api_version
        self.kerberos_env = kerberos_env
        self.headers: Dict[str, str] = dict(headers or {})
        self.headers.setdefault('Content-type', 'application/json')
        self.query_params: Dict[str, Any] = dict(query_params or {})
        self.cert = cert
        self.trust_all = trust_all
        self.default_timeout_sec = timeout or DEFAULT_TIMEOUT_S
        self.logger = logging.getLogger('cloudify.rest_client.http')
        self._owns_session = session is None
        self._session = Session() if session is None else session
        if username:
            pair = '{0}:{1}'.format(username, '' if password is None else password)
            self.headers[AUTHORIZATION_HEADER] = 'Basic ' + base64.b64encode(pair.encode()).decode()
        if token:
            self.headers[TOKEN_HEADER] = token
        if tenant:
            self.headers[TENANT_HEADER] = tenant

    @property
    def base_url(self) -> str:
        """The root of the manager."""
        host = '[{0}]'.format(self.host) if ':' in self.host and not self.host.startswith('[') else self.host
        return '{0}://{1}:{2}'.format(self.protocol, host, self.port)

    @property
    def url(self) -> str:
        """Where the API begins."""
        return '{0}/api/{1}'.format(self.base_url, self.api_version)

    @property
    def tenant_name(self) -> Optional[str]:
        return self.headers.get(TENANT_HEADER)

    @tenant_name.setter
    def tenant_name(self, name: Optional[str]) -> None:
        if name:
            self.headers[TENANT_HEADER] = name
        else:
            self.headers.pop(TENANT_HEADER, None)

    def has_kerberos(self) -> bool:
        return str(self.kerberos_env).lower() in ('true', '1', 'yes', 'on')

    def has_auth_header(self) -> bool:
        return any(name in self.headers for name in (AUTHORIZATION_HEADER, TOKEN_HEADER, EXECUTION_TOKEN_HEADER))

    def get(self, uri: str, data: Any = None, params: Optional[Mapping[str, Any]] = None,
            headers: Optional[Mapping[str, str]] = None, _include: Any = None, expected_status_code: Status = 200,
            stream: bool = False, url_prefix: bool = True, versioned_url: bool = True, timeout: Any = None) -> Any:
        if _include:
            params = dict(params or {}, _include=_include if isinstance(_include, str) else ','.join(_include))
        return self._ask('get', uri, data, params, headers, expected_status_code, stream, url_prefix, versioned_url,
                         timeout)

    def put(self, uri: str, data: Any = None, params: Optional[Mapping[str, Any]] = None,
            headers: Optional[Mapping[str, str]] = None, expected_status_code: Status = 200, stream: bool = False,
            url_prefix: bool = True, versioned_url: bool = True, timeout: Any = None) -> Any:
        return self._ask('put', uri, data, params, headers, expected_status_code, stream, url_prefix, versioned_url,
                         timeout)

    def patch(self, uri: str, data: Any = None, params: Optional[Mapping[str, Any]] = None,
              headers: Optional[Mapping[str, str]] = None, expected_status_code: Status = 200, stream: bool = False,
              url_prefix: bool = True, versioned_url: bool = True, timeout: Any = None) -> Any:
        return self._ask('patch', uri, data, params, headers, expected_status_code, stream, url_prefix, versioned_url,
                         timeout)

    def post(self, uri: str, data: Any = None, params: Optional[Mapping[str, Any]] = None,
             headers: Optional[Mapping[str, str]] = None, expected_status_code: Status = 200, stream: bool = False,
             url_prefix: bool = True, versioned_url: bool = True, timeout: Any = None) -> Any:
        return self._ask('post', uri, data, params, headers, expected_status_code, stream, url_prefix, versioned_url,
                         timeout)

    def delete(self, uri: str, data: Any = None, params: Optional[Mapping[str, Any]] = None,
               headers: Optional[Mapping[str, str]] = None, expected_status_code: Status = (200, 204),
               stream: bool = False, url_prefix: bool = True, versioned_url: bool = True, timeout: Any = None) -> Any:
        return self._ask('delete', uri, data, params, headers, expected_status_code, stream, url_prefix,
                         versioned_url, timeout)

    def do_request(self, requests_method: Callable[..., Any], request_url: str, body: Any,
                   params: Optional[Mapping[str, Any]], headers: Optional[Mapping[str, str]],
                   expected_status_code: Status, stream: bool, verify: Any, timeout: Any = None) -> Any:
        """One request with a method of the session. The answer's JSON, None for 204, or a StreamedResponse."""
        response = self.respond(requests_method, request_url, body, params, headers, stream, verify, timeout)
        try:
            self.verify_response_status(response, expected_status_code)
        except BaseException:
            response.close()
            raise
        if stream:
            return StreamedResponse(response)
        if response.status_code == 204 or not response.content:
            return None
        try:
            answer = response.json()
        except ValueError:
            raise exceptions.CloudifyClientError(
                'The answer is not JSON: {0} [{1}]'.format(response.text[:exceptions.MAX_BODY_SHOWN], request_url),
                status_code=response.status_code, response=response)
        if response.history and isinstance(answer, dict):
            answer['history'] = response.history
        return answer

    def respond(self, requests_method: Callable[..., Any], request_url: str, body: Any,
                params: Optional[Mapping[str, Any]], headers: Optional[Mapping[str, str]], stream: bool, verify: Any,
                timeout: Any) -> Any:
        """The answer to one request, whatever its status."""
        if self.has_kerberos() and not self.has_auth_header() and self._owns_session:
            raise exceptions.CloudifyClientError(
                'Kerberos is not built in: give username and password, token, or a session of `requests` whose auth is '
                'HTTPKerberosAuth() of `requests_kerberos`')
        try:
            return requests_method(request_url, data=body, params=params, headers=headers, stream=stream,
                                   verify=verify, timeout=timeout or self.default_timeout_sec)
        except kinds_of(CertificateRefused) as error:
            raise failure(CertificateRefused, 'The certificate of the manager at {0} is not trusted: `cert` must be the '
                          'certificate that has signed it, and `host` a name in it. {1}'.format(
                              self.base_url, error)) from error
        except kinds_of(ConnectionFailed) as error:
            raise type(error)('{0} (is this the address of the manager, and its port for {1}?)'.format(
                error, self.protocol)) from error

    def verify_response_status(self, response: Any, expected_code: Status = 200) -> None:
        """Raises the error that the answer stands for, unless its status is expected."""
        expected = expected_code if isinstance(expected_code, (tuple, list)) else (expected_code,)
        if response.status_code not in expected:
            raise exceptions.from_response(response)

    def get_request_verify(self) -> Union[bool, str]:
        return False if self.trust_all else self.cert or True

    def close(self) -> None:
        self._session.close()

    def _ask(self, verb: str, uri: str, data: Any, params: Optional[Mapping[str, Any]],
             headers: Optional[Mapping[str, str]], expected: Status, stream: bool, url_prefix: bool, versioned: bool,
             timeout: Any) -> Any:
        prefix = '' if not url_prefix else '/api/' + self.api_version if versioned else '/api'
        body = json.dumps(data) if isinstance(data, (dict, list)) else data
        sent = dict(self.headers, **(headers or {}))
        # A method of its own for each verb is what sessions, and doubles of them in tests, have in common.
        method = getattr(self._session, verb)
        query = {name: value for name, value in dict(self.query_params, **(params or {})).items() if value is not None}
        self.logger.debug('%s %s', verb.upper(), prefix + uri)
        return self.do_request(method, self.base_url + prefix + uri, body, query, sent, expected, stream,
                               self.get_request_verify(), timeout)


class StreamedResponse:
    """A body that is read bit by bit, once."""

    def __init__(self, response: Any) -> None:
        self._response = response
        self.headers = response.headers
        self.status_code = response.status_code

    def bytes_stream(self, chunk_size: int = 8192) -> Iterator[bytes]:
        return iter(self._response.iter_content(chunk_size))

    def lines_stream(self) -> Iterator[bytes]:
        return iter(self._response.iter_lines())

    def close(self) -> None:
        self._response.close()

    def __enter__(self) -> StreamedResponse:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
