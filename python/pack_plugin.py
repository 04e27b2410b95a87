"""Packs a Python project as a wagon: `python3 pack_plugin.py REQUEST`, a JSON text {project, target, wheels}.

`project` is its folder; the wagon is written into the folder `target`. With `wheels`, a folder, what the project needs is
taken from there alone; else pip fetches it. Standard output is lines of JSON: {progress: text}, and at last {packed: {…}}
or {refused: why}. What the SDK is packed as (cloudify-common) is not packed: every worker has it.
"""
import json
import os
import platform
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from email.parser import HeaderParser

RUNTIME = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(RUNTIME, 'tutti_environments', 'vendor'), RUNTIME]
sys.dont_write_bytecode = True

from packaging.utils import canonicalize_name, parse_wheel_filename  # noqa: E402
from tutti_environments.refusal import Refusal  # noqa: E402

SDK = {'cloudify-common': '7.1.0', 'cloudify-plugins-common': '7.1.0', 'fusion-common': '7.1.0'}
LAST_WORDS = 4000


def main(request):
    try:
        with tempfile.TemporaryDirectory(prefix='tutti-pack-') as work:
            say({'packed': pack(work=work, **request)})
    except Refusal as refusal:
        say({'refused': str(refusal)})


def pack(work, project, target, wheels=None):
    project = os.path.abspath(project)
    if not any(os.path.isfile(os.path.join(project, name)) for name in ('pyproject.toml', 'setup.py')):
        raise Refusal('{0} is no Python project: it has neither pyproject.toml nor setup.py'.format(project))
    own, sdk, all_wheels = (os.path.join(work, name) for name in ('own', 'sdk', 'wheels'))
    for folder in (own, sdk, all_wheels):
        os.mkdir(folder)
    constraints = write_sdk(sdk, work)
    found = [] if wheels is None else ['--no-index', '--find-links', os.path.abspath(wheels)]
    say({'progress': 'building {0}'.format(os.path.basename(project))})
    isolation = [] if wheels is None else ['--no-build-isolation']
    pip('wheel', '--no-deps', *found, *isolation, '--wheel-dir', own, project)
    built = [name for name in os.listdir(own) if name.endswith('.whl')]
    if len(built) != 1:
        raise Refusal('{0} builds {1} wheels, and not one'.format(project, len(built)))
    main_wheel = os.path.join(own, built[0])
    name, version = name_and_version(main_wheel)
    say({'progress': 'collecting what {0} {1} needs'.format(name, version)})
    pip('wheel', *found, *isolation, '--find-links', sdk, '--constraint', constraints, '--wheel-dir', all_wheels, main_wheel)
    names = [one for one in sorted(os.listdir(all_wheels)) if parse_wheel_filename(one)[0] not in SDK]
    archive = write_wagon(target, name, version, all_wheels, names)
    return {'wagon': archive, 'package_name': name, 'package_version': version, 'wheels': names}


def write_sdk(folder, work):
    """Stands in for the SDK while pip looks for what is needed; newer than the release of that version."""
    for name, version in SDK.items():
        version += '+tutti'
        info = '{0}-{1}.dist-info/'.format(name.replace('-', '_'), version)
        path = os.path.join(folder, '{0}-{1}-py3-none-any.whl'.format(name.replace('-', '_'), version))
        with zipfile.ZipFile(path, 'w') as wheel:
            wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\nName: {0}\nVersion: {1}\n'.format(name, version))
            wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n')
            wheel.writestr(info + 'RECORD', ''.join('{0}{1},,\n'.format(info, one) for one in ('METADATA', 'WHEEL', 'RECORD')))
    constraints = os.path.join(work, 'constraints.txt')
    with open(constraints, 'w') as target:
        target.write(''.join('{0}=={1}\n'.format(*one) for one in SDK.items()))
    return constraints


def name_and_version(path):
    with zipfile.ZipFile(path) as wheel:
        metadata = next(name for name in wheel.namelist() if name.endswith('.dist-info/METADATA'))
        said = HeaderParser().parsestr(wheel.read(metadata).decode('utf-8'))
    return said['Name'], said['Version']


def write_wagon(target, name, version, folder, names):
    platforms = sorted({tag.platform for one in names for tag in parse_wheel_filename(one)[3]} - {'any'})
    is_bound = any(tag.abi != 'none' for one in names for tag in parse_wheel_filename(one)[3])
    python = 'py{0}{1}'.format(*sys.version_info[:2]) if is_bound or platforms else 'py3'
    # The broadest is what is compared with a worker: each wheel says the rest.
    system = 'linux_' + platform.machine() if any(one.endswith(platform.machine()) for one in platforms) else (platforms or ['any'])[0]
    label = canonicalize_name(name).replace('-', '_')
    archive_name = '{0}-{1}-{2}-none-{3}.wgn'.format(label, version, python, system)
    described = {
        'archive_name': archive_name, 'created_by_wagon_version': 'tutti', 'package_name': name, 'package_version': version,
        'package_source': name, 'package_build_tag': '', 'supported_platform': system, 'supported_python_versions': [python],
        'python_requires': '', 'files': [], 'wheels': names,
        'build_server_os_properties': {'distribution': None, 'distribution_version': None, 'distribution_release': None}}
    text = os.path.join(os.path.dirname(folder), 'package.json')
    with open(text, 'w') as output:
        json.dump(described, output, indent=2)
    path = os.path.join(os.path.abspath(target), archive_name)
    say({'progress': 'packing {0} wheels'.format(len(names))})
    with tarfile.open(path + '.new', 'w:gz') as archive:
        archive.add(text, label + '/package.json')
        for one in names:
            archive.add(os.path.join(folder, one), '{0}/wheels/{1}'.format(label, one))
    os.replace(path + '.new', path)
    return path


def pip(*arguments):
    command = [sys.executable, '-m', 'pip', *arguments, '--no-input', '--disable-pip-version-check']
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise Refusal('pip ended with {0}: {1}'.format(
            done.returncode, done.stdout.decode('utf-8', 'replace').strip()[-LAST_WORDS:]))


def say(what):
    sys.stdout.write(json.dumps(what) + '\n')
    sys.stdout.flush()


if __name__ == '__main__':
    main(json.loads(sys.argv[1]))
