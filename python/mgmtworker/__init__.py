"""Another name for cloudify_types: some plugins import it as mgmtworker.cloudify_types."""
import importlib
import importlib.abc
import importlib.util
import sys

_PREFIX = __name__ + '.cloudify_types'


class _Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The same modules under both names, not copies of them."""

    def find_spec(self, fullname, path=None, target=None):
        if fullname != _PREFIX and not fullname.startswith(_PREFIX + '.'):
            return None
        return importlib.util.spec_from_loader(fullname, self, is_package=True)

    def create_module(self, spec):
        module = importlib.import_module(spec.name[len(__name__) + 1:])
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module):
        """It ran when it was imported by its own name, which it keeps."""
        own = module.__spec__.loader_state
        module.__spec__, module.__name__, module.__loader__ = own, own.name, own.loader


# Before the usual ones, which would find the same files below this name and make copies of the modules.
sys.meta_path.insert(0, _Alias())
