"""Launcher: `python3 -u run_operation.py FOLDER` runs the operation described by FOLDER/input.json.

The worker starts it as the leader of a process group, with standard input a pipe that the worker keeps open.
"""
import _thread
import os
import signal
import sys
import time

RUNTIME = os.path.dirname(os.path.abspath(__file__))


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


def dispatch() -> None:
    sys.argv = ['cloudify.dispatch'] + sys.argv[1:]
    import cloudify
    if os.path.dirname(os.path.abspath(cloudify.__file__)) == os.path.join(RUNTIME, 'cloudify'):
        from cloudify.dispatch import main
        main()
    else:
        import runpy
        runpy.run_module('cloudify.dispatch', run_name='__main__', alter_sys=True)


if __name__ == '__main__':
    die_with_worker()
    order_path()
    dispatch()
