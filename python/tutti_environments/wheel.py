"""One wheel: what its name says, what its metadata say, and its files, each of which is checked while it is read."""
import base64
import configparser
import contextlib
import csv
import hashlib
import os
import stat
import zipfile
import zlib
from email.parser import HeaderParser

from installer.exceptions import InstallerError
from installer.records import InvalidRecordEntry, parse_record_file
from installer.sources import WheelFile
from packaging.utils import InvalidWheelFilename, parse_wheel_filename
from packaging.version import InvalidVersion

from .refusal import Refusal, shown

# Of the texts that say what a wheel is; a description of a package can be long.
MOST_METADATA_BYTES = 32 * 2 ** 20
# What a zip that is damaged, cut off or none raises when it is read.
DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, UnicodeDecodeError)
# What the installer and what it is made of raise for a wheel that is not as it is specified.
IMPROPER = (AssertionError, ValueError, KeyError, InstallerError, InvalidRecordEntry, configparser.Error, csv.Error)
# What has no hash in RECORD: it cannot name its own, and signatures are of it.
WITHOUT_HASH = ('RECORD', 'RECORD.jws', 'RECORD.p7s')
HASHES = ('sha256', 'sha384', 'sha512')


class Wheel:
    """A wheel as its file name describes it."""

    def __init__(self, folder, filename):
        self.filename = filename
        self.path = os.path.join(folder, filename)
        try:
            self.name, self.version, self.build, self.tags = parse_wheel_filename(filename)
        except (InvalidWheelFilename, InvalidVersion) as error:
            raise Refusal('the name of the wheel {0} says nothing: {1}'.format(shown(filename), error))
        self._metadata = None

    @property
    def metadata(self):
        if self._metadata is None:
            with opened(self) as source:
                self._metadata = HeaderParser().parsestr(source.read_dist_info('METADATA'))
        return self._metadata


@contextlib.contextmanager
def opened(wheel, budget=None):
    """The wheel's files. What is wrong with it is a Refusal that names it."""
    try:
        with zipfile.ZipFile(wheel.path) as archive:
            yield CheckedWheel(archive, budget)
    except Refusal as refusal:
        raise Refusal('{0}: {1}'.format(wheel.filename, refusal)) from refusal
    except DAMAGED as error:
        raise Refusal('the wheel {0} is damaged: {1}'.format(wheel.filename, error)) from error
    except IMPROPER as error:
        raise Refusal('{0} is no proper wheel: {1}'.format(wheel.filename, str(error) or type(error).__name__)) from error


class Budget:
    """Of all wheels of a wagon together."""

    def __init__(self, files, bytes):
        self._limits = (files, bytes)
        self._left = [files, bytes]

    def spend(self, files, bytes):
        self._left[0] -= files
        self._left[1] -= bytes
        if min(self._left) < 0:
            raise Refusal('it unpacks to more than {0} files or {1} bytes'.format(*self._limits))


class CheckedWheel(WheelFile):
    def __init__(self, archive, budget):
        super().__init__(archive)
        self._budget = budget
        names = set()
        for item in archive.infolist():
            check_item(item)
            if item.filename in names:
                raise Refusal('it has {0} twice'.format(shown(item.filename)))
            names.add(item.filename)
        self._names = names

    def read_dist_info(self, filename):
        path = '{0}/{1}'.format(self.dist_info_dir, filename)
        if path not in self._names:
            raise Refusal('it has no {0}'.format(shown(path)))
        with self._zipfile.open(path) as stream:
            data = stream.read(MOST_METADATA_BYTES + 1)
        if len(data) > MOST_METADATA_BYTES:
            raise Refusal('its {0} has more than {1} bytes'.format(filename, MOST_METADATA_BYTES))
        return data.decode('utf-8')

    def get_contents(self):
        record_path = '{0}/RECORD'.format(self.dist_info_dir)
        unhashed = ['{0}/{1}'.format(self.dist_info_dir, name) for name in WITHOUT_HASH]
        records = {row[0]: row for row in parse_record_file(self.read_dist_info('RECORD').splitlines())}
        for item in self._zipfile.infolist():
            path = item.filename
            if path.endswith('/') or (path in unhashed and path != record_path):
                continue
            _, given, size = records.get(path, (path, '', ''))
            if path == record_path:
                expected = None
            elif path not in records:
                raise Refusal('its RECORD does not mention {0}'.format(shown(path)))
            else:
                expected = hash_of(path, given)
            self._budget.spend(1, item.file_size)
            mode = item.external_attr >> 16
            with self._zipfile.open(item) as stream:
                # The size in the record may be absent or wrong; the hash says all.
                yield (path, '', ''), CheckedStream(path, stream, expected), bool(mode & 0o111)


def check_item(item):
    name = item.filename
    parts = name.rstrip('/').split('/')
    if not name or name.startswith('/') or '\\' in name or '\0' in name or len(name.encode('utf-8', 'replace')) > 3000:
        raise Refusal('it has a file of the name {0}'.format(shown(name)))
    if any(part in ('', '.', '..') or len(part.encode('utf-8', 'replace')) > 255 for part in parts):
        raise Refusal('its file {0} would lie elsewhere'.format(shown(name)))
    kind = stat.S_IFMT(item.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise Refusal('{0} is neither a file nor a folder'.format(shown(name)))
    if item.flag_bits & 0x1:
        raise Refusal('{0} is encrypted'.format(shown(name)))


def hash_of(path, text):
    algorithm, _, value = text.partition('=')
    if algorithm not in HASHES or not value:
        raise Refusal('its RECORD has no sha256 of {0}'.format(shown(path)))
    return algorithm, value


class CheckedStream:
    """Reads a file of a wheel, from its beginning to its end, and holds it against its hash then."""

    def __init__(self, path, stream, expected):
        self._path = path
        self._stream = stream
        self._expected = expected
        self._restart()

    def _restart(self):
        self._hash = hashlib.new(self._expected[0]) if self._expected else None

    def seek(self, offset):
        if offset != 0:
            raise ValueError('only to the beginning')
        self._stream.seek(0)
        self._restart()

    def read(self, size=-1):
        return self._seen(self._stream.read(size), size)

    def readline(self):
        return self._seen(self._stream.readline(), 1)

    def _seen(self, data, size):
        if self._hash is None:
            return data
        self._hash.update(data)
        if (not data and size != 0) or size < 0:
            found = base64.urlsafe_b64encode(self._hash.digest()).decode('ascii').rstrip('=')
            if found != self._expected[1].rstrip('='):
                raise Refusal('{0} is not the file that RECORD says'.format(shown(self._path)))
        return data
