"""Runs a Python script inside this interpreter, as `__main__`."""
import sys
import types

from cloudify.exceptions import RecoverableError
from script_runner.eval_env import setup_env_and_exec


def run_in_process(script_path: str) -> None:
    """Its exceptions are the operation's."""
    module = types.ModuleType('__main__')
    module.__file__ = script_path
    before = sys.modules['__main__']
    sys.modules['__main__'] = module  # pickle, dataclasses and the like look the module up there
    try:
        setup_env_and_exec(script_path, module.__dict__)
    except SystemExit as error:
        if error.code not in (None, 0):
            raise RecoverableError('The script ended itself with sys.exit({0!r})'.format(error.code)) from error
    finally:
        sys.modules['__main__'] = before
