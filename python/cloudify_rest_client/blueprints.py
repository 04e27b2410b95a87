from __future__ import annotations

import json
import os
from typing import Any, Callable, Dict, Sequence, Tuple
from urllib.parse import quote

from cloudify_rest_client.constants import VisibilityState
from cloudify_rest_client.exceptions import CloudifyClientError
from cloudify_rest_client.http_client import StreamedResponse
from cloudify_rest_client.responses import Item, ListResponse, optional
from cloudify_rest_client.sends import ResourceClient, sends
from cloudify_rest_client.transfer import Form, Progress, Upload, is_url, packed, save

MAX_SIZE_MB = 50
MAX_FILES = 10000


class Blueprint(Item):
    id = created_at = created_by = main_file_name = plan = description = state = labels = upload_execution = optional()
    tenant_name = requirements = optional()


class BlueprintsClient(ResourceClient):
    @sends('GET /blueprints', search='/searches/blueprints')
    def list(self, _include: Sequence[str] | None = None, sort: str | None = None, is_descending: bool = False,
             filter_id: str | None = None, filter_rules: Sequence[Any] | None = None,
             constraints: Dict[str, Any] | None = None, **kwargs: Any) -> ListResponse[Blueprint]: ...

    @sends('GET /blueprints/{blueprint_id}')
    def get(self, blueprint_id: str, _include: Sequence[str] | None = None) -> Blueprint: ...

    @sends('DELETE /blueprints/{blueprint_id}')
    def delete(self, blueprint_id: str, force: bool = False) -> None: ...

    @sends('PATCH /blueprints/{blueprint_id}', data='content')
    def _update(self, blueprint_id: str, content: Any) -> Blueprint: ...

    def update(self, blueprint_id: str, update_dict: Dict[str, Any]) -> Blueprint:
        return self._update(blueprint_id, update_dict)

    def upload(self, path: str, entity_id: str, visibility: str = VisibilityState.TENANT, skip_size_limit: bool = True,
               async_upload: bool = False, labels: Sequence[Dict[str, str]] | None = None, created_at: Any = None,
               created_by: str | None = None, state: str | None = None, skip_execution: bool = False,
               legacy: bool = False, requirements: Dict[str, Any] | None = None, *,
               progress_callback: Progress = None) -> Blueprint | None:
        """`path`: the blueprint's file, which is sent with all that is in its folder, or the address of an archive,
        which the manager fetches. None with `async_upload`. `legacy`: as older managers take it. Raises ValueError
        when the folder is larger than the manager wants, unless `skip_size_limit`."""
        given = _given(visibility, async_upload, skip_execution, labels, created_at, created_by, state, requirements)
        if is_url(path):
            return self._send(self._upload, entity_id, dict(given, blueprint_archive_url=path), async_upload)
        self._check(path, skip_size_limit)
        given['application_file_name'] = quote(os.path.basename(path))
        with packed(os.path.dirname(os.path.abspath(path))) as archive, open(archive, 'rb') as file:
            content = Upload(file, progress_callback)
            if legacy:
                query = {name: _as_query(name, value) for name, value in given.items()}
                answer = self._upload(entity_id, content, **query)
                return None if async_upload else answer
            return self._send(self._upload, entity_id, given, async_upload, content)

    def publish_archive(self, archive_location: str, blueprint_id: str, blueprint_filename: str | None = None,
                        visibility: str = VisibilityState.TENANT, async_upload: bool = False,
                        labels: Sequence[Dict[str, str]] | None = None, created_at: Any = None,
                        created_by: str | None = None, skip_execution: bool = False,
                        requirements: Dict[str, Any] | None = None, *,
                        progress_callback: Progress = None) -> Blueprint | None:
        """Like `upload`, of an archive that there is already: a file, or an address."""
        given = _given(visibility, async_upload, skip_execution, labels, created_at, created_by, None, requirements)
        if blueprint_filename is not None:
            given['application_file_name'] = quote(blueprint_filename)
        if is_url(archive_location):
            return self._send(self._upload, blueprint_id, dict(given, blueprint_archive_url=archive_location),
                              async_upload)
        with open(archive_location, 'rb') as file:
            return self._send(self._upload, blueprint_id, given, async_upload, Upload(file, progress_callback))

    def validate(self, path: str, entity_id: str, blueprint_filename: str | None = None,
                 visibility: str = VisibilityState.TENANT, skip_size_limit: bool = True, *,
                 progress_callback: Progress = None) -> None:
        """Has the manager look at a blueprint as at an upload, and keep nothing of it. Raises what it finds."""
        given: Dict[str, Any] = {'visibility': visibility}
        if blueprint_filename is not None:
            given['application_file_name'] = quote(blueprint_filename)
        if is_url(path):
            self._send(self._validate, entity_id, dict(given, blueprint_archive_url=path), False)
            return
        self._check(path, skip_size_limit)
        given.setdefault('application_file_name', quote(os.path.basename(path)))
        with packed(os.path.dirname(os.path.abspath(path))) as archive, open(archive, 'rb') as file:
            self._send(self._validate, entity_id, given, False, Upload(file, progress_callback))

    def calc_size(self, blueprint_path: str) -> int:
        """The bytes of all files in the blueprint's folder."""
        return _measure(blueprint_path)[0]

    def download(self, blueprint_id: str, output_file: str | None = None, *,
                 progress_callback: Progress = None) -> str:
        return save(self._open(blueprint_id), output_file, progress_callback)

    def upload_archive(self, blueprint_id: str, archive_path: str, *, progress_callback: Progress = None) -> None:
        with open(archive_path, 'rb') as file:
            self._upload_archive(blueprint_id, Upload(file, progress_callback))

    def upload_icon(self, blueprint_id: str, icon_path: str) -> None:
        with open(icon_path, 'rb') as file:
            self._set_icon(blueprint_id, Upload(file))

    def remove_icon(self, blueprint_id: str) -> None:
        self._set_icon(blueprint_id, None)

    def set_global(self, blueprint_id: str) -> Dict[str, Any]:
        return self.set_visibility(blueprint_id, VisibilityState.GLOBAL)

    @sends('PATCH /blueprints/{blueprint_id}/set-visibility')
    def set_visibility(self, blueprint_id: str, visibility: str) -> Dict[str, Any]: ...

    @sends('PUT /blueprints/{blueprint_id}', data='content', status=201)
    def _upload(self, blueprint_id: str, content: Any, **kwargs: Any) -> Blueprint: ...

    @sends('PUT /blueprints/{blueprint_id}/validate', data='content', status=(201, 204))
    def _validate(self, blueprint_id: str, content: Any) -> Any: ...

    @sends('PUT /blueprints/{blueprint_id}/archive', data='content', status=(200, 201, 204))
    def _upload_archive(self, blueprint_id: str, content: Any) -> None: ...

    @sends('PATCH /blueprints/{blueprint_id}/icon', data='content')
    def _set_icon(self, blueprint_id: str, content: Any) -> None: ...

    @sends('GET /blueprints/{blueprint_id}/archive', stream=True)
    def _open(self, blueprint_id: str) -> StreamedResponse: ...

    @sends('GET /config', fixed={'scope': 'rest'})
    def _limits(self) -> ListResponse[Dict[str, Any]]: ...

    def _send(self, how: Callable[[str, Form], Blueprint], blueprint_id: str, given: Dict[str, Any], is_async: bool,
              content: Upload | None = None) -> Blueprint | None:
        params = {name: value for name, value in given.items() if value is not None}
        answer = how(blueprint_id, Form({'params': json.dumps(params)}, 'blueprint_archive', content))
        return None if is_async else answer

    def _check(self, path: str, skip_size_limit: bool) -> None:
        if skip_size_limit:
            return
        limits: Dict[str, Any] = {}
        try:
            limits = {one['name']: one['value'] for one in self._limits()}
        except CloudifyClientError as error:
            if error.status_code != 404:  # managers without limits
                raise
        size, files = _measure(path)
        max_size = limits.get('blueprint_folder_max_size_mb', MAX_SIZE_MB)
        if size > max_size * 1024 * 1024:
            raise ValueError('The folder of the blueprint has {0} bytes, and the manager takes {1} MB'.format(
                size, max_size))
        if files > limits.get('blueprint_folder_max_files', MAX_FILES):
            raise ValueError('The folder of the blueprint has {0} files, and the manager takes {1}'.format(
                files, limits.get('blueprint_folder_max_files', MAX_FILES)))


def _given(visibility: str, async_upload: bool, skip_execution: bool, labels: Any, created_at: Any, created_by: Any,
           state: Any, requirements: Any) -> Dict[str, Any]:
    pairs = None if labels is None else [
        {'key': key, 'value': value} for label in labels for key, value in
        ([(label['key'], label['value'])] if set(label) == {'key', 'value'} else label.items())]
    return {'visibility': visibility, 'async_upload': async_upload, 'skip_execution': skip_execution, 'labels': pairs,
            'created_at': None if created_at is None else str(created_at), 'created_by': created_by, 'state': state,
            'requirements': requirements}


def _as_query(name: str, value: Any) -> Any:
    if name == 'labels' and value is not None:
        return ','.join('{0}={1}'.format(label['key'], label['value']) for label in value)
    return json.dumps(value) if isinstance(value, dict) else value


def _measure(path: str) -> Tuple[int, int]:
    """(bytes, files) of the folder that the file is in."""
    folder = path if os.path.isdir(path) else os.path.dirname(os.path.abspath(path))
    files = [os.path.join(root, name) for root, _, names in os.walk(folder) for name in names]
    return sum(os.path.getsize(file) for file in files if os.path.exists(file)), len(files)
