"""The folder of a deployment on the worker, which plugins like Terraform's keep their files in.

A worker of this manager fetches it before an operation and stores it after; it says so by one folder under two names
(CFY_RESOURCES_ROOT and MANAGER_FILE_SERVER_ROOT). Where they differ, whoever wants the files elsewhere has to ask."""
import os
import shutil
from contextlib import contextmanager
from typing import Any, Iterator, Optional

from cloudify.exceptions import NonRecoverableError

ROOT = 'CFY_RESOURCES_ROOT'


class DeploymentFolder:
    def __init__(self, ctx: Any) -> None:
        self._ctx = ctx

    def path(self) -> Optional[str]:
        """None without a deployment."""
        if not self._ctx.deployment.id:
            return None
        root = os.environ.get(ROOT)
        if not root:
            raise NonRecoverableError('{0} is not set: this worker keeps no folders of deployments'.format(ROOT))
        return os.path.join(root, 'deployments', self._ctx.tenant_name or '', self._ctx.deployment.id)

    def download(self) -> None:
        if self._is_a_copy():
            os.makedirs(self.path() or '', exist_ok=True)
            self._resources().download_deployment_workdir(self._ctx.deployment.id, self.path())

    def upload(self) -> None:
        if self._is_a_copy():
            self._resources().upload_deployment_workdir(self._ctx.deployment.id, self.path())

    @contextmanager
    def synced(self) -> Iterator[None]:
        if not self._is_a_copy():
            yield
            return
        with self._resources().sync_deployment_workdir(self._ctx.deployment.id, self.path()):
            yield

    def upload_file(self, target_file_path: str, src_file: str, src_file_mtime: Any = None) -> None:
        if self._is_a_copy():
            self._resources().upload_deployment_file(
                self._ctx.deployment.id, target_file_path, src_file, src_file_mtime)
            return
        target = self._inside(target_file_path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not (os.path.exists(target) and os.path.samefile(src_file, target)):
            shutil.copy2(src_file, target)

    def delete_file(self, file_path: str) -> None:
        if self._is_a_copy():
            self._resources().delete_deployment_file(self._ctx.deployment.id, file_path)
            return
        target = self._inside(file_path)
        if os.path.lexists(target):
            os.remove(target)

    def _is_a_copy(self) -> bool:
        root = os.environ.get(ROOT)
        return bool(self._ctx.deployment.id and root and root != os.environ.get('MANAGER_FILE_SERVER_ROOT'))

    def _resources(self) -> Any:
        from cloudify.manager import get_rest_client
        return get_rest_client().resources

    def _inside(self, path: str) -> str:
        folder = os.path.realpath(self.path() or '')
        target = os.path.realpath(os.path.join(folder, path))
        if not target.startswith(folder + os.sep):
            raise NonRecoverableError('{0} is not in the folder of the deployment'.format(path))
        return target
