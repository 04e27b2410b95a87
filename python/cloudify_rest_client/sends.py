"""How a method becomes a request, and an answer becomes what the method returns.

A method says its own signature and what it returns; `@sends` says the rest:

    @sends('POST /sites/{name}', status=200)
    def update(self, name: str, location: Optional[str] = None, visibility: str = 'tenant',
               new_name: Optional[str] = None) -> Site: ...

- Arguments that the path names go into it, of those whose names end in `path` each part. The others are fields of the JSON body (POST, PUT, PATCH) or of the query
  (GET, DELETE), under their own names and without leading underscores in a body; `query` and `body` name those for
  which it is the other way round.
- `**kwargs` goes where the others go, or where `rest` says.
- An argument that is None and may be left out is not sent, unless `null` names it: then the body says null.
- `if_set` names what is not sent either when it is empty or False, `unsent` what is not sent at all.
- `wire` gives the name that the API has for an argument, `fixed` what is always sent besides.
- `_include`, `sort` with `is_descending`, and `filter_id` are the query parameters `_include`, `_sort`, `_filter_id`.
- `data` names the argument that is the body as it is; what others go into the query. `stream`: the answer is read bit
  by bit; an argument `timeout` is the one of the request. `root`: below the manager's root and not below `/api/VERSION`; `versioned=False`: below `/api`.
- `search`: where the request goes instead, by POST, when there are `filter_rules` or `constraints`.
- `status`: the statuses of success, if not 200 (of DELETE: 200 or 204). What comes back is made into what the method is said to return.
"""
from __future__ import annotations

import functools
import inspect
import re
from datetime import datetime, timezone
from typing import Any, Callable, Dict, Mapping, NamedTuple, Optional, Tuple, TypeVar, cast

from cloudify_rest_client.responses import Item, ListResponse

F = TypeVar('F', bound=Callable[..., Any])

OF_A_LIST = ('_include', 'sort', 'is_descending', 'filter_id', 'filter_rules', 'constraints')


class Request(NamedTuple):
    """What `@sends` says of a method; `method.request`."""

    method: str
    path: str
    status: Tuple[int, ...]
    query: Tuple[str, ...]
    body: Tuple[str, ...]
    rest: str
    null: Tuple[str, ...]
    if_set: Tuple[str, ...]
    unsent: Tuple[str, ...]
    wire: Mapping[str, str]
    fixed: Mapping[str, Any]
    search: Optional[str]
    data: Optional[str]
    stream: bool
    versioned: bool
    root: bool


class ResourceClient:
    """The methods of one resource. `api` is the HTTPClient that carries them out."""

    def __init__(self, api: Any) -> None:
        self.api = api


def sends(line: str, *, status: Any = None, query: str = '', body: str = '', rest: str = '', null: str = '',
          if_set: str = '', unsent: str = '', wire: Optional[Mapping[str, str]] = None,
          fixed: Optional[Mapping[str, Any]] = None, search: Optional[str] = None, data: Optional[str] = None,
          stream: bool = False, versioned: bool = True, root: bool = False) -> Callable[[F], F]:
    method, path = line.split(' ')
    kind = 'body' if method in ('POST', 'PUT', 'PATCH') and data is None else 'query'
    success = status or ((200, 204) if method == 'DELETE' else 200)
    request = Request(
        method, path, success if isinstance(success, tuple) else (success,), tuple(query.split()),
        tuple(body.split()), rest or kind, tuple(null.split()), tuple(if_set.split()), tuple(unsent.split()),
        wire or {}, fixed or {}, search, data, stream, versioned, root)

    def decorate(function: F) -> F:
        signature = inspect.signature(function)

        @functools.wraps(function)
        def send(self: ResourceClient, *args: Any, **kwargs: Any) -> Any:
            bound = signature.bind(self, *args, **kwargs)
            bound.apply_defaults()
            given = dict(bound.arguments)
            given.pop('self')
            return answered(function, perform(self.api, request, signature, given))

        send.__doc__ = '{0}\n\n{1}'.format(line, inspect.cleandoc(function.__doc__ or '')).strip()
        setattr(send, 'request', request)
        return cast(F, send)

    return decorate


def perform(api: Any, request: Request, signature: inspect.Signature, given: Dict[str, Any]) -> Any:
    """The answer's JSON, None without one."""
    method, path = request.method, request.path
    extra: Dict[str, Any] = {}
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            extra = given.pop(parameter.name)
    names = re.findall(r'{(\w+)}', path)
    path = path.format(**{name: path_part(name, given.pop(name)) for name in names})

    content = given.pop(request.data) if request.data else None
    timeout = given.pop('timeout', None)
    reads = method in ('GET', 'DELETE') or request.data is not None
    # What lists have in common may come by name even where a signature does not show it.
    common = {name: source.pop(name) for source in (given, extra) for name in OF_A_LIST
              if name in source and (reads or name == '_include')}
    query: Dict[str, Any] = {}
    body: Dict[str, Any] = {}
    (query if reads else body).update(request.fixed)
    for name, value in given.items():
        in_query = name in request.query or (reads and name not in request.body)
        may_be_left_out = signature.parameters[name].default is None or in_query
        if name in request.unsent or (name in request.if_set and not value):
            continue
        if value is not None or name in request.null or not may_be_left_out:
            target = query if in_query else body
            target[request.wire.get(name, name if in_query else name.lstrip('_'))] = wire_value(value)
    (query if request.rest == 'query' else body).update(
        {request.wire.get(name, name): wire_value(value) for name, value in extra.items()})
    query.update(list_query(common))

    found = search_body(common) if request.search else None
    if request.search and found is not None:
        return api.post(request.search, data=found, params=query)
    if body or sends_json(request, signature):
        content = body
    # What is a form says so; everything else counts as JSON with the manager, bytes too.
    kind = getattr(content, 'content_type', None)
    return getattr(api, method.lower())(
        path, data=content, params=query, headers={'Content-type': kind} if kind else None,
        expected_status_code=request.status, stream=request.stream, url_prefix=not request.root,
        versioned_url=request.versioned, timeout=timeout)


def list_query(common: Mapping[str, Any]) -> Dict[str, Any]:
    query: Dict[str, Any] = {}
    if common.get('_include'):
        query['_include'] = included(common['_include'])
    if common.get('sort'):
        sort = common['sort']
        query['_sort'] = '-' + sort if common.get('is_descending') and isinstance(sort, str) else sort
    if common.get('filter_id') is not None:
        query['_filter_id'] = common['filter_id']
    return query


def included(include: Any) -> str:
    return include if isinstance(include, str) else ','.join(include)


def search_body(common: Mapping[str, Any]) -> Optional[Dict[str, Any]]:
    """The body of a search, None for a plain list."""
    rules, constraints = common.get('filter_rules'), common.get('constraints')
    if rules is not None and constraints is not None:
        raise ValueError('Give filter_rules or constraints, not both')
    if rules is not None:
        return {'filter_rules': rules}
    return None if constraints is None else {'constraints': constraints}


def wire_value(value: Any) -> Any:
    """Times as the API writes them, in UTC."""
    if not isinstance(value, datetime):
        return value
    if value.tzinfo is not None:
        value = value.astimezone(timezone.utc)
    return value.strftime('%Y-%m-%dT%H:%M:%S.%fZ')


def sends_json(request: Request, signature: inspect.Signature) -> bool:
    """Whether there is a body even when it says nothing: `{}`."""
    if request.method in ('GET', 'DELETE') or request.data:
        return bool(request.body) or request.rest == 'body'
    in_path = re.findall(r'{(\w+)}', request.path)
    return any(parameter.name not in ('self', '_include', *in_path, *request.query)
               and (parameter.kind is not parameter.VAR_KEYWORD or request.rest == 'body')
               for parameter in signature.parameters.values())


def path_part(name: str, value: Any) -> str:
    """An id as part of a path: whatever is in it, it does not lead elsewhere."""
    text = '' if value is None else str(value)
    if name.endswith('path'):
        return '/'.join(path_part('a part of {0}:'.format(name), one) if one else '' for one in text.split('/'))
    if text in ('', '.', '..'):
        raise ValueError('{0} is needed, and {1!r} is none'.format(name, value))
    return text.replace('/', '%2F').replace('?', '%3F').replace('#', '%23')


def answered(function: Callable[..., Any], answer: Any) -> Any:
    """The answer as what the function says that it returns: a class, a list of one, None, or as it is."""
    returns = function.__annotations__['return']
    is_list = returns.startswith('ListResponse[')
    kind: Any = function.__globals__.get(returns[len('ListResponse['):-1] if is_list else returns)
    is_class = isinstance(kind, type) and issubclass(kind, Item)
    if returns == 'None':
        return None
    if is_list:
        items, metadata = (answer, {}) if isinstance(answer, list) else (answer['items'], answer.get('metadata'))
        return ListResponse([kind(one) if is_class and isinstance(one, dict) else one for one in items], metadata)
    return kind(answer) if is_class and isinstance(answer, dict) else answer
