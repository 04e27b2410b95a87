"""Runs a Python script inside this interpreter, as `__main__`."""
import sys
import types

from cloudify.exceptions import RecoverableError
from script_runner.answers import answered


def run_in_process(ctx, script_path):
    """The script's answer. Its exceptions are the operation's."""
    module = types.ModuleType('__main__')
    module.__file__ = script_path
    before = sys.modules['__main__']
    sys.modules['__main__'] = module  # pickle, dataclasses and the like look the module up there
    try:
        with open(script_path, 'rb') as source:
            code = compile(source.read(), script_path, 'exec')
        exec(code, module.__dict__)
    except SystemExit as error:
        if error.code not in (None, 0):
            raise RecoverableError('The script ended itself with sys.exit({0!r})'.format(error.code)) from error
    finally:
        sys.modules['__main__'] = before
    return answered(ctx)
