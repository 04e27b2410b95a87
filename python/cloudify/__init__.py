"""What scripts and plugins import: an SDK that speaks to the manager over REST alone (docs/reference/python.md)."""
from cloudify.state import ctx

__all__ = ['ctx', 'broker_config']


def __getattr__(name):
    """`broker_config` is looked for by agents' code only: it costs the others nothing."""
    if name == 'broker_config':
        import importlib
        return importlib.import_module('cloudify.broker_config')
    raise AttributeError('module {0!r} has no attribute {1!r}'.format(__name__, name))
