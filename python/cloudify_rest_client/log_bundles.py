from __future__ import annotations

from typing import Any, Sequence

from cloudify_rest_client.executions import Execution
from cloudify_rest_client.http_client import StreamedResponse
from cloudify_rest_client.responses import Item, ListResponse, optional
from cloudify_rest_client.sends import ResourceClient, sends
from cloudify_rest_client.transfer import Progress, Upload, save


class LogBundle(Item):
    id = created_at = created_by = status = optional()
    error = optional(default='')


class LogBundlesClient(ResourceClient):
    @sends('GET /log-bundles/{log_bundle_id}')
    def get(self, log_bundle_id: str, _include: Sequence[str] | None = None) -> LogBundle: ...

    @sends('GET /log-bundles')
    def list(self, _include: Sequence[str] | None = None, sort: str | None = None, is_descending: bool = False,
             **kwargs: Any) -> ListResponse[LogBundle]: ...

    @sends('PUT /log-bundles/{log_bundle_id}', status=201)
    def create(self, log_bundle_id: str, queue: bool = False) -> Execution: ...

    @sends('DELETE /log-bundles/{log_bundle_id}')
    def delete(self, log_bundle_id: str) -> None: ...

    def download(self, log_bundle_id: str, output_file: str, *, progress_callback: Progress = None) -> str:
        return save(self._open(log_bundle_id), output_file, progress_callback)

    def upload_archive(self, log_bundle_id: str, archive_path: str, *, progress_callback: Progress = None) -> None:
        with open(archive_path, 'rb') as file:
            self._upload(log_bundle_id, Upload(file, progress_callback))

    @sends('PATCH /log-bundles/{log_bundle_id}')
    def update_status(self, log_bundle_id: str, status: str, error: str | None = None) -> None: ...

    @sends('GET /log-bundles/{log_bundle_id}/archive', stream=True)
    def _open(self, log_bundle_id: str) -> StreamedResponse: ...

    @sends('PUT /log-bundles/{log_bundle_id}/archive', data='content', status=201)
    def _upload(self, log_bundle_id: str, content: Any) -> None: ...
