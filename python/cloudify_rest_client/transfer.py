"""Files to and from the manager, bit by bit, whatever their size."""
from __future__ import annotations

import os
import tarfile
import tempfile
import uuid
from contextlib import contextmanager
from email.message import Message
from typing import IO, Any, Callable, Iterator, List, Mapping, Optional, Union, cast
from urllib.parse import urlsplit

from cloudify_rest_client.http_client import StreamedResponse

# Called with the bytes that went over so far, and how many there are in all; 0 when nobody knows.
Progress = Optional[Callable[[int, int], Any]]

BUFFER = 64 * 1024


def is_url(location: Any) -> bool:
    """Whether somebody else has the file: the manager fetches it."""
    return urlsplit(str(location)).scheme in ('http', 'https', 'ftp', 'file') and '://' in str(location)


def save(answer: StreamedResponse, output_file: Union[str, 'os.PathLike[str]', None], progress: Progress = None) -> str:
    """Writes a download to a file that there is not yet, or into a folder under the name that the manager gives it.
    The path. Raises OSError when there is such a file; a file that did not come whole is removed."""
    with answer:
        path = os.fspath(output_file) if output_file else os.getcwd()
        if os.path.isdir(path):
            path = os.path.join(path, name_in(answer.headers))
        total = int(answer.headers.get('Content-Length') or 0)
        with open(path, 'xb') as file:
            try:
                for piece in answer.bytes_stream(BUFFER):
                    file.write(piece)
                    if progress is not None:
                        progress(file.tell(), total)
            except BaseException:
                os.remove(path)
                raise
    return path


def name_in(headers: Any) -> str:
    """The file name of Content-Disposition; it names no folder."""
    message = Message()
    message['Content-Disposition'] = headers.get('Content-Disposition') or ''
    name = os.path.basename((message.get_filename() or '').replace('\\', '/'))
    if name in ('', '.', '..'):
        raise OSError('The manager gives the file no name: give the path of a file instead of a folder')
    return name


class Upload:
    """A file as a body. `progress` is told whenever some of it was taken."""

    def __init__(self, file: IO[bytes], progress: Progress = None) -> None:
        self._file = file
        self._progress = progress
        self.len = os.fstat(file.fileno()).st_size - file.tell()

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(size)
        if self._progress is not None and piece:
            self._progress(self._file.tell(), self.len)
        return piece

    def tell(self) -> int:
        return self._file.tell()

    def seek(self, to: int, whence: int = 0) -> int:
        return self._file.seek(to, whence)


class Form:
    """A form (multipart/form-data) of texts and at most one file."""

    def __init__(self, texts: Mapping[str, str], name: str = '', file: Optional[Upload] = None,
                 file_name: str = 'filename') -> None:
        boundary = uuid.uuid4().hex
        self.content_type = 'multipart/form-data; boundary=' + boundary
        head = ''.join(_part(boundary, 'name="{0}"'.format(key), text) for key, text in texts.items())
        if file is not None:
            head += _part(boundary, 'name="{0}"; filename="{1}"'.format(name, file_name), '', 'text/plain')[:-2]
        tail = '\r\n--{0}--\r\n' if file is not None else '--{0}--\r\n'
        self._parts: List[Any] = [head.encode(), file, tail.format(boundary).encode()]
        self._at = 0
        self._read = 0
        self.len = len(self._parts[0]) + (file.len if file is not None else 0) + len(self._parts[2])

    def read(self, size: int = -1) -> bytes:
        pieces = []
        left = self.len if size is None or size < 0 else size
        while left > 0 and self._at < len(self._parts):
            piece = self._piece(left)
            if not piece:
                self._at, self._read = self._at + 1, 0
                continue
            pieces.append(piece)
            left -= len(piece)
        return b''.join(pieces)

    def tell(self) -> int:
        """Where it stands is asked for at the beginning only, to come back there."""
        return 0

    def seek(self, to: int, whence: int = 0) -> int:
        self._at = self._read = 0
        if self._parts[1] is not None:
            self._parts[1].seek(0)
        return 0

    def _piece(self, size: int) -> bytes:
        part = self._parts[self._at]
        if part is None:
            return b''
        if isinstance(part, Upload):
            return part.read(size)
        piece = part[self._read:self._read + size]
        self._read += len(piece)
        return cast(bytes, piece)


def _part(boundary: str, disposition: str, text: str, kind: str = '') -> str:
    return '--{0}\r\nContent-Disposition: form-data; {1}\r\n{2}\r\n{3}\r\n'.format(
        boundary, disposition, 'Content-Type: {0}\r\n'.format(kind) if kind else '', text)


@contextmanager
def packed(folder: str, name: Optional[str] = None) -> Iterator[str]:
    """The path of an archive of the folder, for as long as it is needed: links are followed, and everybody may read."""
    with temporary_file() as path:
        with tarfile.open(path, 'w:gz', dereference=True) as archive:
            archive.add(folder, arcname=name or os.path.basename(os.path.abspath(folder)) or 'archive', filter=_readable)
        yield path


@contextmanager
def temporary_file() -> Iterator[str]:
    handle, path = tempfile.mkstemp()
    os.close(handle)
    try:
        yield path
    finally:
        os.remove(path)


def _readable(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.mode |= 0o555 if member.isdir() else 0o444
    return member

