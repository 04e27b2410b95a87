from __future__ import annotations

from typing import Any, Dict, Sequence

from cloudify_rest_client.executions import Execution
from cloudify_rest_client.http_client import StreamedResponse
from cloudify_rest_client.responses import Item, ListResponse, optional
from cloudify_rest_client.sends import ResourceClient, sends
from cloudify_rest_client.transfer import Progress, Upload, is_url, save


class Snapshot(Item):
    id = created_at = created_by = status = optional()
    error = optional(default='')


class SnapshotsClient(ResourceClient):
    @sends('GET /snapshots/{snapshot_id}')
    def get(self, snapshot_id: str, _include: Sequence[str] | None = None) -> Snapshot: ...

    @sends('GET /snapshots')
    def list(self, _include: Sequence[str] | None = None, sort: str | None = None, is_descending: bool = False,
             **kwargs: Any) -> ListResponse[Snapshot]: ...

    @sends('PUT /snapshots/{snapshot_id}', status=201, null='tempdir_path listener_timeout')
    def create(self, snapshot_id: str, include_credentials: bool, include_logs: bool = True,
               include_events: bool = True, queue: bool = False, tempdir_path: str | None = None,
               legacy: bool = False, listener_timeout: int | None = None) -> Execution: ...

    @sends('DELETE /snapshots/{snapshot_id}')
    def delete(self, snapshot_id: str) -> None: ...

    @sends('POST /snapshots/{snapshot_id}/restore')
    def restore(self, snapshot_id: str, force: bool = False, restore_certificates: bool = False,
                no_reboot: bool = False, ignore_plugin_failure: bool = False) -> Execution: ...

    def upload(self, snapshot_path: str, snapshot_id: str, *, progress_callback: Progress = None) -> Snapshot:
        """`snapshot_path`: a file, or an address from which the manager fetches it."""
        if is_url(snapshot_path):
            return self._upload(snapshot_id, None, snapshot_path)
        with open(snapshot_path, 'rb') as file:
            return self._upload(snapshot_id, Upload(file, progress_callback))

    def download(self, snapshot_id: str, output_file: str, *, progress_callback: Progress = None) -> str:
        return save(self._open(snapshot_id), output_file, progress_callback)

    @sends('PATCH /snapshots/{snapshot_id}')
    def update_status(self, snapshot_id: str, status: str, error: str | None = None) -> None: ...

    @sends('GET /snapshot-status')
    def get_status(self) -> Dict[str, Any]: ...

    @sends('PUT /snapshots/{snapshot_id}/archive', data='content', status=201)
    def _upload(self, snapshot_id: str, content: Any, snapshot_archive_url: str | None = None) -> Snapshot: ...

    @sends('GET /snapshots/{snapshot_id}/archive', stream=True)
    def _open(self, snapshot_id: str) -> StreamedResponse: ...
