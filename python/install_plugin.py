"""Makes the environment of a plugin: `python3 -I install_plugin.py describe` and `… FILE`, where FILE holds a request.

A request is JSON: {kind: wagon, wagon, package_name, package_version} or {kind: source, source, install_arguments,
work_folder}, with {folder: the new environment, limits: {files, bytes, seconds}}. Standard output is lines of JSON:
{progress: {done, total, message}}, and at last {installed: […]} or {refused: why}. The exit code is 0 then, and another
one when something else has failed, about which standard error has more.
"""
import json
import os
import sys

RUNTIME = os.path.dirname(os.path.abspath(__file__))
# Isolated Python (-I) looks neither beside the program nor at variables: only at what is said here.
sys.path[:0] = [os.path.join(RUNTIME, 'tutti_environments', 'vendor'), RUNTIME]
sys.dont_write_bytecode = True

import run_operation  # noqa: E402
from tutti_environments import interpreter  # noqa: E402
from tutti_environments.environment import Environment  # noqa: E402
from tutti_environments.refusal import Refusal  # noqa: E402
from tutti_environments.source import install as install_source  # noqa: E402
from tutti_environments.wagon import Wagon  # noqa: E402
from tutti_environments.wheel import Budget  # noqa: E402

MOST_MEMORY_BYTES = 4 * 2 ** 30


def main(argument):
    if argument == 'describe':
        return say(interpreter.describe())
    run_operation.die_with_worker()
    with open(argument, encoding='utf-8') as source:
        request = json.load(source)
    os.umask(0o022)
    try:
        installed = by_kind[request['kind']](request, request['limits'])
    except Refusal as refusal:
        say({'refused': str(refusal)})
    except RecursionError:
        say({'refused': 'it is nested too deeply'})
    except MemoryError:
        say({'refused': 'it needs more than {0} bytes of memory to be read'.format(MOST_MEMORY_BYTES)})
    else:
        say({'installed': installed})


def install_wagon(request, limits):
    bound(limits)
    wagon = Wagon(request['wagon'])
    wagon.check(request['package_name'], request['package_version'])
    wheels = wagon.choose([*interpreter.own_packages(), RUNTIME])
    environment = Environment(request['folder'], RUNTIME)
    budget = Budget(limits['files'], limits['bytes'])
    for done, wheel in enumerate(wheels):
        progress(done, len(wheels), '{0} {1}'.format(wheel.name, wheel.version))
        environment.install(wheel, budget)
    return ['{0}=={1}'.format(wheel.name, wheel.version) for wheel in wheels]


def install_from_source(request, _limits):
    environment = Environment(request['folder'], RUNTIME)
    progress(0, 1, 'pip install {0}'.format(os.path.basename(request['source'])))
    install_source(environment, request['source'], request['install_arguments'], request['work_folder'])
    return [request['source']]


by_kind = {'wagon': install_wagon, 'source': install_from_source}


def bound(limits):
    """Of this process, should a wheel make more of the libraries that read it than it is allowed to."""
    import resource
    for what, limit in (
            (resource.RLIMIT_AS, MOST_MEMORY_BYTES), (resource.RLIMIT_FSIZE, limits['bytes']),
            (resource.RLIMIT_CPU, limits['seconds']), (resource.RLIMIT_CORE, 0)):
        _, most = resource.getrlimit(what)
        limit = limit if most == resource.RLIM_INFINITY else min(limit, most)
        resource.setrlimit(what, (limit, limit))


def progress(done, total, message):
    say({'progress': {'done': done, 'total': total, 'message': message}})


def say(what):
    sys.stdout.write(json.dumps(what) + '\n')
    sys.stdout.flush()


if __name__ == '__main__':
    main(sys.argv[1])
