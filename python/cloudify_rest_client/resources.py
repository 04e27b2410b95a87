"""Files below /resources of the manager: those of blueprints and deployments."""
from __future__ import annotations

import os
import tarfile
from contextlib import contextmanager
from typing import Any, Dict, Iterator, Tuple

from cloudify_rest_client.http_client import StreamedResponse
from cloudify_rest_client.sends import ResourceClient, sends
from cloudify_rest_client.transfer import Form, Upload, packed, temporary_file

DEPLOYMENT = '/resources/deployments/{tenant}/{deployment_id}/'


class ResourcesClient(ResourceClient):
    @sends('GET {path}', stream=True, root=True)
    def get_file(self, path: str, **kwargs: Any) -> StreamedResponse:
        """`path`: from the root on, `/resources/…`."""

    def download_deployment_workdir(self, deployment_id: str, dst_dir: str) -> None:
        """The folder of the deployment, into a folder."""
        with self._open(self._tenant(), deployment_id, True) as answer, temporary_file() as path:
            with open(path, 'wb') as file:
                for piece in answer.bytes_stream(64 * 1024):
                    file.write(piece)
            with tarfile.open(path) as archive:
                _extract(archive, dst_dir)

    def upload_deployment_workdir(self, deployment_id: str, src_dir: str) -> None:
        """A folder in place of the one that the deployment has."""
        with packed(src_dir, '.') as archive, open(archive, 'rb') as file:
            self._upload(self._tenant(), deployment_id, True, Upload(file))

    def upload_deployment_file(self, deployment_id: str, target_file_path: str, src_file: str,
                               src_file_mtime: Any = None) -> None:
        with open(src_file, 'rb') as file:
            texts = {} if src_file_mtime is None else {'mtime': str(src_file_mtime)}
            self._upload_file(self._tenant(), deployment_id, target_file_path, Form(
                texts, 'file', Upload(file), os.path.basename(target_file_path)))

    def delete_deployment_file(self, deployment_id: str, file_path: str) -> None:
        self._delete_file(self._tenant(), deployment_id, file_path)

    @contextmanager
    def sync_deployment_workdir(self, deployment_id: str, local_dir: str) -> Iterator[None]:
        """What changes in the folder while the block runs is changed in that of the deployment after it."""
        before = _files(local_dir)
        yield
        after = _files(local_dir)
        for path in sorted(set(before) - set(after)):
            self.delete_deployment_file(deployment_id, path)
        for path in sorted(path for path in after if after[path] != before.get(path)):
            self.upload_deployment_file(deployment_id, path, os.path.join(local_dir, path), after[path][0])

    @sends('GET ' + DEPLOYMENT, stream=True, root=True)
    def _open(self, tenant: str, deployment_id: str, archive: bool) -> StreamedResponse: ...

    @sends('PUT ' + DEPLOYMENT, data='content', root=True, status=(200, 201, 204))
    def _upload(self, tenant: str, deployment_id: str, extract: bool, content: Any) -> None: ...

    @sends('PUT ' + DEPLOYMENT + '{file_path}', data='content', root=True, status=(200, 201, 204))
    def _upload_file(self, tenant: str, deployment_id: str, file_path: str, content: Any) -> None: ...

    @sends('DELETE ' + DEPLOYMENT + '{file_path}', root=True)
    def _delete_file(self, tenant: str, deployment_id: str, file_path: str) -> None: ...

    def _tenant(self) -> str:
        return str(self.api.tenant_name or '')


def _files(folder: str) -> Dict[str, Tuple[float, int]]:
    """Of each file in the folder, when it was changed and its size."""
    found = {}
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            facts = os.stat(path)
            found[os.path.relpath(path, folder)] = (facts.st_mtime, facts.st_size)
    return found


def _extract(archive: tarfile.TarFile, folder: str) -> None:
    """Nothing of it goes outside the folder."""
    target = os.path.realpath(folder)
    for member in archive.getmembers():
        path = os.path.realpath(os.path.join(target, member.name))
        if os.path.commonpath([target, path]) != target or not (member.isfile() or member.isdir()):
            raise OSError('The archive of the deployment holds {0!r}, which is no file in a folder'.format(member.name))
    archive.extractall(target)
