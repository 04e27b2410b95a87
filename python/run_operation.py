"""Launcher: `python3 -u run_operation.py FOLDER` runs the operation described by FOLDER/input.json.

The worker starts it as the leader of a process group, with standard input a pipe that the worker keeps open. Most
operations are forked by operations_parent.py instead, which does here what comes after the start.
"""
import _thread
import os
import signal
import sys
import time

RUNTIME = os.path.dirname(os.path.abspath(__file__))

OUR_PACKAGES = ('cloudify', 'cloudify_rest_client', 'cloudify_types', 'proxy_tools', 'script_runner')

THREADS_GRACE_S = 5  # for threads that an operation leaves running when it has answered


def die_with_worker() -> None:
    """Kills the process group when the worker is gone: its end of our standard input closes.

    The worker's watcher does the same, and does it while this thread is kept from running (a pattern that holds the
    interpreter lock); this is for when the watcher is gone too.

    The pipe moves to a descriptor that is not inherited, so that nothing an operation starts can hold or read it.
    _thread, not threading: the import costs 5 ms on every operation.
    """
    if os.getpgrp() != os.getpid():
        return  # started by hand: the group is somebody's shell
    lifeline = os.dup(0)  # not inheritable (PEP 446)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)

    def watch() -> None:
        while os.read(lifeline, 1024):
            pass
        # The watcher finds what left this group by its parents, so they must be there when it looks.
        time.sleep(2)
        os.killpg(0, signal.SIGKILL)

    _thread.start_new_thread(watch, ())


def order_path() -> None:
    """Puts this runtime last, so that an installed original SDK (or Jinja2) wins. Python had put it first."""
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or '.') != RUNTIME]
    sys.path += [RUNTIME, os.path.join(RUNTIME, 'vendor')]


def is_ours() -> bool:
    """Whether the SDK that is found is this runtime's."""
    import cloudify
    return os.path.dirname(os.path.abspath(cloudify.__file__)) == os.path.join(RUNTIME, 'cloudify')


def is_workflow(folder, request) -> bool:
    if request is None:
        import json
        with open(os.path.join(folder, 'input.json'), encoding='utf-8') as source:
            request = json.load(source)
    return request['cloudify_context'].get('type') == 'workflow'


def prefer_ours() -> None:
    """Puts this runtime's SDK before an installed original one, which does not know how to ask this engine."""
    sys.path[:] = [RUNTIME] + [entry for entry in sys.path if entry != RUNTIME]
    for name in list(sys.modules):
        if name.split('.')[0] in OUR_PACKAGES:
            del sys.modules[name]


def run(folder, request=None) -> None:
    """Dispatches the operation; `request` is what is in input.json, if that is known already."""
    sys.argv = ['cloudify.dispatch', folder]
    if not is_ours() and is_workflow(folder, request):
        prefer_ours()
    if is_ours():
        from cloudify.dispatch import main
        main(folder, request)
    else:
        import runpy
        runpy.run_module('cloudify.dispatch', run_name='__main__', alter_sys=True)


def exit_code(error) -> int:
    """What Python exits with for a SystemExit."""
    if error.code is None:
        return 0
    if isinstance(error.code, int):
        return error.code & 0xff
    print(error.code, file=sys.stderr)
    return 1


def end(code) -> None:
    """Ends this process as Python does, with two differences: threads that are left have a time in which to end, as
    nobody may wait for ever for an operation that has answered; and modules are not taken apart, which takes longer
    than all the rest."""
    try:
        if 'threading' in sys.modules:
            import threading
            if threading.active_count() > 1:
                _thread.start_new_thread(_end_later, (code,))
            threading._shutdown()
        import atexit
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (AttributeError, OSError, ValueError):
                pass  # it was closed, or its disk is full
    finally:
        os._exit(code)


def _end_later(code) -> None:
    time.sleep(THREADS_GRACE_S)
    os._exit(code)


if __name__ == '__main__':
    die_with_worker()
    order_path()
    status = 1
    try:
        run(sys.argv[1])
        status = 0
    except SystemExit as error:
        status = exit_code(error)
    except BaseException:
        import traceback
        traceback.print_exc()
    end(status)
