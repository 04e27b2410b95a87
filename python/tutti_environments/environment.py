"""An empty environment, and wheels in it."""
import os
import sysconfig
import venv

import installer

from . import interpreter
from .destination import Destination
from .refusal import Refusal
from .wheel import opened

LINKS = '_tutti.pth'


class Environment:
    """A virtual environment without pip, in a new folder. It sees, after its own packages, those of the interpreter that it
    is of, and last the SDK."""

    def __init__(self, folder, runtime):
        self.folder = folder
        venv.EnvBuilder(with_pip=False, symlinks=True).create(folder)
        names = dict(base=folder, platbase=folder, installed_base=folder, installed_platbase=folder)
        scheme = 'venv' if 'venv' in sysconfig.get_scheme_names() else 'posix_prefix'
        paths = sysconfig.get_paths(scheme, names)
        self.packages = paths['purelib']
        self.programs = paths['scripts']
        self.headers = os.path.join(folder, 'include', 'site', 'python' + sysconfig.get_python_version())
        self.python = os.path.join(self.programs, 'python')
        os.makedirs(self.packages, exist_ok=True)
        self._link(runtime)
        self.protected = frozenset(self._files())

    def _link(self, runtime):
        folders = [*interpreter.own_packages(), runtime, os.path.join(runtime, 'vendor')]
        if any('\n' in folder for folder in folders):
            raise Refusal('a folder of Python has a line break in its name')
        with open(os.path.join(self.packages, LINKS), 'w', encoding='utf-8') as target:
            target.write(''.join(folder + '\n' for folder in folders))

    def _files(self):
        for folder, folders, files in os.walk(os.path.realpath(self.folder)):
            for name in files + [one for one in folders if os.path.islink(os.path.join(folder, one))]:
                yield os.path.join(folder, name)

    def install(self, wheel, budget):
        with opened(wheel, budget) as source:
            installer.install(source, Destination(self, wheel), additional_metadata={'INSTALLER': b'tutti\n'})
