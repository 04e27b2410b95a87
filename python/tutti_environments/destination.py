"""Where the files of wheels go: into one environment, and nowhere else."""
import os

from installer.destinations import SchemeDictionaryDestination

from .refusal import Refusal, shown

# Names of the SDK, and whose wheels may bring them: a plugin that brought another `cloudify` could not be run at all.
SDK_MODULE = 'cloudify'
SDK_PACKAGES = ('cloudify-common', 'cloudify-plugins-common', 'fusion-common')


class Destination(SchemeDictionaryDestination):
    def __init__(self, environment, wheel):
        self._root = os.path.realpath(environment.folder)
        self._protected = environment.protected
        self._packages = environment.packages
        self._wheel = wheel
        super().__init__(
            dict(
                purelib=environment.packages, platlib=environment.packages, scripts=environment.programs,
                data=environment.folder, headers=os.path.join(environment.headers, str(wheel.name))),
            interpreter=environment.python, script_kind='posix')

    def write_to_fs(self, scheme, path, stream, is_executable):
        target = os.path.join(self.scheme_dict[scheme], path)
        parts = path.split('/')
        if path.startswith('/') or '\0' in path or any(part in ('', '.', '..') for part in parts):
            raise Refusal('its file {0} would lie elsewhere'.format(shown(path)))
        if scheme == 'scripts' and len(parts) != 1:
            raise Refusal('its program {0} would lie elsewhere'.format(shown(path)))
        parent = os.path.realpath(os.path.dirname(target))
        target = os.path.join(parent, parts[-1])
        # Also should a link be on the way, as `lib64` is.
        if os.path.commonpath([self._root, parent]) != self._root:
            raise Refusal('its file {0} would lie elsewhere'.format(shown(path)))
        if target in self._protected or any(target.startswith(one + os.sep) for one in self._protected):
            raise Refusal('its file {0} would replace {1} of the environment'.format(
                shown(path), os.path.relpath(target, self._root)))
        self._check_module(target)
        if os.path.isdir(target):
            raise Refusal('its file {0} is a folder already'.format(shown(path)))
        # As other installers do: packages that bring the same file (`tests/__init__.py`) are common.
        if os.path.lexists(target):
            os.unlink(target)
        try:
            return super().write_to_fs(scheme, path, stream, is_executable)
        except (NotADirectoryError, FileExistsError):
            raise Refusal('its file {0} is in a folder which is a file'.format(shown(path)))

    def _check_module(self, target):
        packages = os.path.realpath(self._packages)
        if os.path.commonpath([packages, target]) != packages or self._wheel.name in SDK_PACKAGES:
            return
        module = os.path.relpath(target, packages).split(os.sep)[0].split('.')[0]
        if module == SDK_MODULE:
            raise Refusal('it brings {0}, which is the SDK\'s: only {1} may'.format(
                os.path.relpath(target, packages), ', '.join(SDK_PACKAGES)))
