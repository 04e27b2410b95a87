"""Prints, as JSON, every request that a method of the client says of itself, with the method's name."""
import importlib
import inspect
import json
import pkgutil

import cloudify_rest_client
from cloudify_rest_client.sends import OF_A_LIST, ResourceClient, list_query
from cloudify_rest_client.summary import SummariesClient

SUMMARIES = list(vars(SummariesClient(None)))


def requests():
    for module in pkgutil.iter_modules(cloudify_rest_client.__path__):
        for kind in vars(importlib.import_module('cloudify_rest_client.' + module.name)).values():
            if inspect.isclass(kind) and issubclass(kind, ResourceClient) and kind.__module__.endswith(module.name):
                for name, method in vars(kind).items():
                    if hasattr(method, 'request'):
                        yield from described('{0}.{1}'.format(kind.__name__, name), method)


def described(name, method):
    request = method.request
    parameters = inspect.signature(method).parameters.values()
    query, body = set(), set(request.fixed)
    reads = request.method in ('GET', 'DELETE') or request.data is not None
    if reads:
        query, body = body, query
    for parameter in parameters:
        wire = request.wire.get(parameter.name, parameter.name)
        if (parameter.name in ('self', 'timeout', request.data, *request.unsent)
                or '{' + parameter.name + '}' in request.path or parameter.kind is parameter.VAR_KEYWORD):
            continue
        if reads and parameter.name in OF_A_LIST or parameter.name == '_include':
            query.update(list_query({parameter.name: ['id'] if parameter.name == '_include' else 'a'}))
        elif parameter.name in request.query or reads and parameter.name not in request.body:
            query.add(wire)
        else:
            body.add(wire.lstrip('_'))
    one = {'name': name, 'method': request.method, 'status': request.status, 'query': sorted(query),
           'body': sorted(body), 'isRaw': request.data is not None, 'isStream': request.stream,
           'base': 'root' if request.root else 'api', 'path': request.path}
    for of in SUMMARIES if '{_of}' in request.path else ['']:
        yield dict(one, path=request.path.replace('{_of}', of))
    if request.search:
        yield dict(one, method='POST', path=request.search, body=['filter_rules', 'constraints'], status=[200],
                   isRaw=False)


if __name__ == '__main__':
    print(json.dumps(list(requests())))
