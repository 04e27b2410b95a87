"""Files of the blueprint and the deployment (docs/reference/operations.md, "Files")."""
import json
import os
import tempfile
from typing import Any, Dict, Iterator, List, Optional, Tuple

from cloudify.exceptions import HttpException, NonRecoverableError
from cloudify.rendering import render


class Resources:
    """Reads `path` from the deployment's folder, then its blueprint's, then the file server's root."""

    def __init__(self, manager: Any, context: Dict[str, Any]) -> None:
        self._manager = manager
        self._context = context
        self._blueprint: Optional[Dict[str, Any]] = None

    def get(self, path: str) -> bytes:
        tried = []
        for candidate in self._candidates(path):
            is_laid_out, content = laid_out(candidate)
            if content is not None:
                return content
            if is_laid_out:
                tried.append(candidate)
                continue
            status, answer = self._manager.file(candidate)
            if status == 200:
                return answer
            if status != 404:
                raise HttpException(candidate, status, answer.decode('utf-8', 'replace')[:500])
            tried.append(candidate)
        raise HttpException(path, 404, 'no such file in the deployment, the blueprint or the manager\'s resources '
                                       '(looked at {0})'.format(', '.join(tried)))

    def download(self, path: str, target_path: Optional[str] = None, content: Optional[bytes] = None,
                 target_dir: Optional[str] = None) -> str:
        """Writes the file and returns where it is; without a target, in a new temporary folder."""
        content = self.get(path) if content is None else content
        if not target_path:
            target_path = os.path.join(tempfile.mkdtemp(dir=target_dir or exec_folder()), os.path.basename(path))
        with open(target_path, 'wb') as target:
            target.write(content)
        return target_path

    def render(self, path: str, template_variables: Optional[Dict[str, Any]], ctx: Any) -> bytes:
        return render(self.get(path), template_variables or {}, ctx)

    def index(self, path: str) -> List[str]:
        """A folder's files. The file server lists one as JSON: {"files": [relative paths]}, others' as
        {relative path: facts}."""
        listing = json.loads(self.get(path.rstrip('/') + '/').decode())
        return list(listing.get('files', listing) if isinstance(listing, dict) else listing)

    def download_directory(self, path: str, target_path: Optional[str] = None) -> str:
        """Copies a folder; without a target, to a new temporary one."""
        target = os.path.abspath(target_path or tempfile.mkdtemp(dir=exec_folder()))
        for name in self.index(path):
            place = os.path.abspath(os.path.join(target, name))
            if not place.startswith(target + os.sep):
                raise NonRecoverableError('The listing of {0} names a file outside it: {1}'.format(path, name))
            os.makedirs(os.path.dirname(place), exist_ok=True)
            self.download(os.path.join(path, name), place)
        return target

    def _candidates(self, path: str) -> Iterator[str]:
        path = path.lstrip('/')
        tenant = (self._context.get('tenant') or {}).get('name')
        deployment, blueprint = self._context.get('deployment_id'), self._context.get('blueprint_id')
        if deployment:
            yield 'deployments/{0}/{1}/{2}'.format(tenant, deployment, path)
        if blueprint:
            yield 'blueprints/{0}/{1}/{2}'.format(tenant, blueprint, path)
            yield from self._elsewhere(path, tenant, blueprint)
        yield path

    def _elsewhere(self, path: str, tenant: Optional[str], blueprint: str) -> Iterator[str]:
        """A global blueprint's files lie in its owner's tenant, an imported blueprint's in that blueprint."""
        if self._blueprint is None:
            self._blueprint = self._manager.call('GET', '/blueprints/' + blueprint)
        owner = self._blueprint.get('tenant_name') or tenant
        if owner != tenant:
            yield 'blueprints/{0}/{1}/{2}'.format(owner, blueprint, path)
        if '--' in path:
            namespace, rest = path.rsplit('--', 1)
            mapping = (self._blueprint.get('plan') or {}).get('namespaces_mapping') or {}
            if namespace in mapping:
                yield 'blueprints/{0}/{1}/{2}'.format(tenant, mapping[namespace], rest)


def laid_out(candidate: str) -> Tuple[bool, Optional[bytes]]:
    """Whether the worker has laid out the folder that the file would be in, and what is in it if it is there.

    The worker does that before each operation, so that nothing of it has to be asked for.
    """
    root = os.environ.get('CFY_RESOURCES_ROOT')
    parts = candidate.split('/')
    if not root or len(parts) < 4 or '..' in parts or not parts[-1]:
        return False, None
    folder = os.path.join(root, *parts[:3])
    if not os.path.isdir(folder):
        return False, None
    try:
        with open(os.path.join(folder, *parts[3:]), 'rb') as source:
            return True, source.read()
    except (FileNotFoundError, NotADirectoryError):
        return True, None
    except OSError:
        return False, None  # a folder, or one that only the manager may read


def exec_folder() -> Optional[str]:
    """Where temporary files go that somebody may run; None for the system's own place."""
    folder = os.environ.get('CFY_EXEC_TEMP')
    return folder if folder and os.path.isdir(folder) else None
