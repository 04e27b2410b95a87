"""Wheels and wagons for tests, written as they are specified, and as they are not.

`python3 -m tests.wagons FOLDER < JSON` makes one for tests in other languages: {name, version, wheels: [{name, version,
files, …}], …}; what it prints is where it lies.
"""
import base64
import hashlib
import io
import json
import os
import sys
import tarfile
import zipfile


def wheel(folder, name, version='1.0', files=None, requires=(), tag='py3-none-any', programs=(), metadata='', record=None,
          more=(), python=None):
    """`files`: path → text. `record`: path → line of RECORD, instead of the right one; None for none. `more`: ZipInfo and
    content of entries that are in no RECORD."""
    info = '{0}-{1}.dist-info'.format(name.replace('-', '_'), version)
    contents = dict(files or {})
    contents[info + '/METADATA'] = 'Metadata-Version: 2.1\nName: {0}\nVersion: {1}\n{2}{3}{4}\n'.format(
        name, version, ''.join('Requires-Dist: {0}\n'.format(one) for one in requires),
        'Requires-Python: {0}\n'.format(python) if python else '', metadata)
    contents[info + '/WHEEL'] = 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: {0}\n'.format(tag)
    if programs:
        contents[info + '/entry_points.txt'] = '[console_scripts]\n' + ''.join(one + '\n' for one in programs)
    lines = []
    path = os.path.join(folder, '{0}-{1}-{2}.whl'.format(name.replace('-', '_'), version, tag))
    with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED) as target:
        for one, text in contents.items():
            data = text if isinstance(text, bytes) else text.encode('utf-8')
            target.writestr(one, data)
            line = '{0},sha256={1},{2}'.format(one, digest(data), len(data))
            if record is not None and one in record:
                line = record[one]
            if line is not None:
                lines.append(line)
        for item, data in more:
            target.writestr(item, data)
        lines.append(info + '/RECORD,,')
        target.writestr(info + '/RECORD', '\n'.join(lines) + '\n')
    return path


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode('ascii').rstrip('=')


def describe(folder, name, version, said=None):
    """The package.json of a wagon in the folder, whose wheels are in `wheels/` there."""
    wheels = sorted(os.listdir(os.path.join(folder, 'wheels')))
    text = {
        'archive_name': '{0}-{1}-py3-none-any.wgn'.format(name.replace('-', '_'), version),
        'build_server_os_properties': {'distribution': None, 'distribution_release': None, 'distribution_version': None},
        'created_by_wagon_version': '1.0.1', 'package_name': name, 'package_version': version, 'package_source': name,
        'supported_platform': 'any', 'supported_python_versions': ['py3'], 'wheels': wheels}
    text.update(said or {})
    with open(os.path.join(folder, 'package.json'), 'w', encoding='utf-8') as target:
        json.dump(text, target)


def unpacked(folder, name, version='1.0', wheels=(), said=None):
    """A wagon as it is unpacked; `wheels` are the arguments of `wheel`."""
    os.makedirs(os.path.join(folder, 'wheels'))
    for one in wheels:
        wheel(os.path.join(folder, 'wheels'), **one)
    describe(folder, name, version, said)
    return folder


def packed(source, target):
    """Of an unpacked one."""
    with tarfile.open(target, 'w:gz') as archive:
        archive.add(source, arcname=os.path.basename(source))
    return target


def main(folder):
    given = json.load(sys.stdin)
    name = given['name']
    source = unpacked(os.path.join(folder, name), name, given.get('version', '1.0'), given['wheels'], given.get('said'))
    print(packed(source, os.path.join(folder, name + '.wgn')))


if __name__ == '__main__':
    main(sys.argv[1])
