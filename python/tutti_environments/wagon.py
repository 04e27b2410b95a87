"""A wagon, unpacked: what it says of itself, and which of its wheels make up the plugin here."""
import importlib.metadata
import json
import os

from packaging.markers import UndefinedEnvironmentName, default_environment
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from . import interpreter
from .refusal import Refusal, shown
from .wheel import Wheel

MOST_WHEELS = 1000
MOST_METADATA_BYTES = 2 ** 20
# A dependency that leads in a circle of extras ends as well.
MOST_REQUIREMENTS = 20000


class Wagon:
    def __init__(self, folder):
        self._folder = folder
        said = self._read_metadata()
        self.package_name = self._text(said, 'package_name')
        self.package_version = self._text(said, 'package_version')
        self.platform = said.get('supported_platform')
        self.pythons = said.get('supported_python_versions')
        self.system = said.get('build_server_os_properties')
        self._ranks = interpreter.supported()
        self._wheels = self._find_wheels()

    def _read_metadata(self):
        path = os.path.join(self._folder, 'package.json')
        try:
            with open(path, 'rb') as source:
                data = source.read(MOST_METADATA_BYTES + 1)
            said = json.loads(data.decode('utf-8')) if len(data) <= MOST_METADATA_BYTES else None
        except (OSError, ValueError, RecursionError) as error:
            raise Refusal('the package.json of the wagon cannot be read: {0}'.format(error))
        if not isinstance(said, dict):
            raise Refusal('the package.json of the wagon is not what one is')
        return said

    def _text(self, said, key):
        value = said.get(key)
        if not isinstance(value, str) or not value:
            raise Refusal('the package.json of the wagon has no {0}'.format(key))
        return value

    def _find_wheels(self):
        folder = os.path.join(self._folder, 'wheels')
        try:
            names = sorted(name for name in os.listdir(folder) if name.endswith('.whl'))
        except OSError:
            names = []
        if not names:
            raise Refusal('the wagon has no wheels')
        if len(names) > MOST_WHEELS:
            raise Refusal('the wagon has {0} wheels; {1} are the most'.format(len(names), MOST_WHEELS))
        found = {}
        for name in names:
            wheel = Wheel(folder, name)
            found.setdefault(wheel.name, []).append(wheel)
        return found

    def check(self, package_name, package_version):
        """Whether it is the one that was asked for, and for a machine like this."""
        if canonicalize_name(package_name) != canonicalize_name(self.package_name) or \
                package_version != self.package_version:
            raise Refusal('the wagon holds {0} {1}, and not {2} {3}'.format(
                shown(self.package_name), shown(self.package_version), package_name, package_version))
        platforms = interpreter.platforms(self._ranks)
        if isinstance(self.platform, str) and self.platform not in ('', 'any') \
                and self.platform.replace('-', '_').replace('.', '_') not in platforms:
            raise self._elsewhere()
        if isinstance(self.pythons, list) and self.pythons \
                and all(str(one).startswith(('py2', 'cp2')) for one in self.pythons):
            raise self._elsewhere()

    def _elsewhere(self, wheels=()):
        system = self.system if isinstance(self.system, dict) else {}
        built = ' '.join(str(system[key]) for key in ('distribution', 'distribution_version') if system.get(key))
        return Refusal('the wagon is for {0}, platform {1}{2}{3}; here is {4}'.format(
            ', '.join(map(str, self.pythons)) if isinstance(self.pythons, list) and self.pythons else 'any Python',
            self.platform or 'any',
            ' (built on {0})'.format(built[:100]) if built else '',
            ' (it has {0})'.format(', '.join(wheel.filename for wheel in wheels[:3])) if wheels else '',
            interpreter.here()))

    def choose(self, provided_in):
        """The wheels that the plugin needs here, each after those that need it. `provided_in`: folders of packages that
        are there without it."""
        try:
            wanted = Requirement('{0}=={1}'.format(self.package_name, Version(self.package_version)))
        except (InvalidVersion, InvalidRequirement):
            wanted = Requirement(canonicalize_name(self.package_name))
        return Choice(self, provided_in).of(wanted)

    def candidates(self, name):
        """Wheels of that name which fit this interpreter, the best first."""
        all_of_it = self._wheels.get(name, [])
        fitting = [wheel for wheel in all_of_it if not wheel.tags.isdisjoint(self._ranks)]
        if all_of_it and not fitting:
            raise self._elsewhere(all_of_it)
        return sorted(fitting, key=lambda wheel: (
            wheel.version, -min(self._ranks.get(tag, len(self._ranks)) for tag in wheel.tags), wheel.build), reverse=True)

    def names(self):
        return sorted(self._wheels)


class Choice:
    """The closure of a requirement over what one wagon has: as `pip install --no-index --find-links --pre` chooses where
    it has one version of everything, and refused where no version satisfies all that name it."""

    def __init__(self, wagon, provided_in):
        self._wagon = wagon
        self._provided_in = provided_in
        self._provided = None
        self._environment = default_environment()
        self._chosen = {}
        self._wanted = {}
        self._seen = set()

    def of(self, requirement):
        queue = [(requirement, None)]
        for requirement, by in queue:
            if len(self._seen) > MOST_REQUIREMENTS:
                raise Refusal('its wheels need too much of each other')
            key = (str(requirement), by and by.filename)
            if key in self._seen:
                continue
            self._seen.add(key)
            wheel = self._satisfy(requirement, by)
            if wheel is not None:
                queue += [(one, wheel) for one in self._requirements(wheel, requirement.extras)]
        return list(self._chosen.values())

    def _satisfy(self, requirement, by):
        name = canonicalize_name(requirement.name)
        wanted = self._wanted.setdefault(name, [])
        wanted.append((requirement, by))
        candidates = self._wagon.candidates(name)
        # An address says where pip would have it from; here it is in the wagon.
        fits = [wheel for wheel in candidates if self._fits(wheel.version, wanted) and self._python_fits(wheel)]
        if fits:
            self._chosen[name] = fits[0]
            return fits[0]
        if self._fits(self._provided_version(name), wanted):
            self._chosen.pop(name, None)
            return None
        raise self._unsatisfied(name, candidates, wanted)

    @staticmethod
    def _fits(version, wanted):
        return version is not None and all(
            requirement.specifier.contains(version, prereleases=True) for requirement, _ in wanted)

    def _python_fits(self, wheel):
        needed = wheel.metadata.get('Requires-Python')
        try:
            return not needed or SpecifierSet(needed).contains(self._environment['python_full_version'], prereleases=True)
        except InvalidSpecifier:
            return True  # of old packages, which nobody took for one

    def _requirements(self, wheel, extras):
        for text in wheel.metadata.get_all('Requires-Dist', []):
            try:
                requirement = Requirement(text)
                applies = requirement.marker is None or any(
                    requirement.marker.evaluate(dict(self._environment, extra=extra)) for extra in ['', *extras])
            except (InvalidRequirement, UndefinedEnvironmentName, InvalidSpecifier) as error:
                raise Refusal('{0} needs {1}, which cannot be read: {2}'.format(
                    wheel.filename, shown(text), str(error).splitlines()[0]))
            if applies:
                yield requirement

    def _provided_version(self, name):
        if self._provided is None:
            self._provided = {}
            for found in importlib.metadata.distributions(path=self._provided_in):
                try:
                    self._provided.setdefault(canonicalize_name(found.metadata['Name'] or ''), Version(found.version))
                except (InvalidVersion, TypeError):
                    continue  # a package of this machine that is in no order
        return self._provided.get(name)

    def _unsatisfied(self, name, candidates, wanted):
        needs = ', '.join('{0}{1}'.format(
            requirement, ' (by {0})'.format(by.filename) if by else '') for requirement, by in wanted[:5])
        found = ', '.join('{0}{1}'.format(
            wheel.filename,
            '' if self._python_fits(wheel) else ' (for Python {0})'.format(wheel.metadata.get('Requires-Python')))
            for wheel in candidates[:5]) or 'none'
        return Refusal('it needs {0}; the wagon has {1}; here is {2}{3}'.format(
            needs, found, interpreter.here(),
            ' with {0} {1}'.format(name, self._provided[name]) if self._provided_version(name) else ''))
