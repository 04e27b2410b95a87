"""Archives that a plugin has downloaded."""
import os
import tarfile
import tempfile
import zipfile
from typing import Optional

from cloudify.exceptions import NonRecoverableError


def extract_archive(source: str, destination: Optional[str] = None) -> str:
    """The folder that it was unpacked to: `destination`, else a new temporary one."""
    if tarfile.is_tarfile(source):
        return untar(source, destination)
    if zipfile.is_zipfile(source):
        return unzip(source, destination)
    raise NonRecoverableError('Unsupported archive: {0} is neither tar nor zip'.format(source))


def unzip(archive: str, destination: Optional[str] = None, logger: object = None) -> str:
    target = destination or tempfile.mkdtemp()
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(target)  # which leaves out roots and `..` in names
        for entry in opened.infolist():
            mode = entry.external_attr >> 16
            if mode:
                os.chmod(os.path.join(target, entry.filename), mode & 0o777 | 0o600)
    return target


def untar(archive: str, destination: Optional[str] = None) -> str:
    """Raises NonRecoverableError for an archive whose files would lie outside: it may come from anywhere."""
    target = os.path.realpath(destination or tempfile.mkdtemp())
    with tarfile.open(archive) as opened:
        for member in opened.getmembers():
            place = os.path.realpath(os.path.join(target, member.name))
            points_to = place
            if member.issym():
                points_to = os.path.realpath(os.path.join(os.path.dirname(place), member.linkname))
            elif member.islnk():
                points_to = os.path.realpath(os.path.join(target, member.linkname))
            if not (_is_inside(target, place) and _is_inside(target, points_to)) or member.isdev():
                raise NonRecoverableError('{0} holds {1}, which is not inside it'.format(archive, member.name))
            opened.extract(member, target)
    return target


def _is_inside(folder: str, place: str) -> bool:
    return place == folder or place.startswith(folder + os.sep)
