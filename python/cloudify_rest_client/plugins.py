from __future__ import annotations

from typing import Any, Dict, Sequence

from cloudify_rest_client.constants import VisibilityState
from cloudify_rest_client.http_client import StreamedResponse
from cloudify_rest_client.responses import Item, ListResponse, optional
from cloudify_rest_client.sends import ResourceClient, sends
from cloudify_rest_client.transfer import Progress, Upload, is_url, save


class Plugin(Item):
    id = package_name = archive_name = package_source = package_version = supported_platform = distribution = optional()
    distribution_version = distribution_release = wheels = excluded_wheels = supported_py_versions = optional()
    uploaded_at = created_by = file_server_path = yaml_url_path = title = tenant_name = optional()
    installation_state = blueprint_labels = labels = resource_tags = yaml_files_paths = optional()


class PluginsClient(ResourceClient):
    @sends('GET /plugins/{plugin_id}')
    def get(self, plugin_id: str, _include: Sequence[str] | None = None, **kwargs: Any) -> Plugin: ...

    @sends('GET /plugins')
    def list(self, _include: Sequence[str] | None = None, sort: str | None = None, is_descending: bool = False,
             **kwargs: Any) -> ListResponse[Plugin]: ...

    @sends('DELETE /plugins/{plugin_id}', body='force')
    def delete(self, plugin_id: str, force: bool = False) -> None: ...

    def upload(self, plugin_path: str, plugin_title: str | None = None, visibility: str = VisibilityState.TENANT,
               _plugin_id: str | None = None, _uploaded_at: Any = None, _created_by: str | None = None, *,
               progress_callback: Progress = None) -> Any:
        """`plugin_path`: a wagon, a zip of a wagon and its plugin.yaml, or an address of one, which the manager
        fetches. The plugin; of a caravan, a list of them."""
        given = {'title': plugin_title, 'visibility': visibility, 'id': _plugin_id, 'uploaded_at': _uploaded_at,
                 'created_by': _created_by}
        if is_url(plugin_path):
            answer = self._upload(None, plugin_archive_url=plugin_path, **given)
        else:
            with open(plugin_path, 'rb') as file:
                answer = self._upload(Upload(file, progress_callback), **given)
        if 'items' in answer:
            return ListResponse([Plugin(one) for one in answer['items']], answer.get('metadata'))
        return Plugin(answer)

    @sends('POST /plugins/{plugin_id}', fixed={'action': 'install'})
    def install(self, plugin_id: str, managers: Sequence[str] | None = None,
                agents: Sequence[str] | None = None) -> Plugin: ...

    def download(self, plugin_id: str, output_file: str, full_archive: bool = False, *,
                 progress_callback: Progress = None) -> str:
        """`full_archive`: with its plugin.yaml files."""
        return save(self._open(plugin_id, 'true' if full_archive else None), output_file, progress_callback)

    def download_yaml(self, plugin_id: str, output_file: str, *, progress_callback: Progress = None) -> str:
        return save(self._open_yaml(plugin_id), output_file, progress_callback)

    def get_yaml(self, plugin_id: str, dsl_version: str | None = None) -> str:
        """The text of its plugin.yaml, for this version of the language."""
        with self._open_yaml(plugin_id, dsl_version) as answer:
            return b''.join(answer.bytes_stream()).decode()

    def list_yaml_files(self, plugin_id: str, dsl_version: str | None = None) -> Sequence[str]:
        """The names of its plugin.yaml files, or of those for this version of the language."""
        suffix = dsl_version and '_{0}.yaml'.format(dsl_version.replace('cloudify_dsl_', '').replace('.', '_'))
        files: Sequence[str] = self.get(plugin_id).yaml_files_paths or []
        return [file for file in files if not suffix or file.endswith(suffix)]

    def set_global(self, plugin_id: str) -> Dict[str, Any]:
        return self.set_visibility(plugin_id, VisibilityState.GLOBAL)

    @sends('PATCH /plugins/{plugin_id}/set-visibility')
    def set_visibility(self, plugin_id: str, visibility: str) -> Dict[str, Any]: ...

    @sends('PUT /plugins/{plugin_id}', wire={'agent_name': 'agent', 'manager_name': 'manager'})
    def set_state(self, plugin_id: str, state: str, agent_name: str | None = None, manager_name: str | None = None,
                  error: str | None = None) -> Plugin: ...

    @sends('PATCH /plugins/{plugin_id}')
    def set_owner(self, plugin_id: str, creator: str) -> Plugin: ...

    @sends('PATCH /plugins/{plugin_id}')
    def update(self, plugin_id: str, **kwargs: Any) -> Plugin: ...

    @sends('POST /plugins', data='content', status=201)
    def _upload(self, content: Any, **kwargs: Any) -> Dict[str, Any]: ...

    @sends('GET /plugins/{plugin_id}/yaml', stream=True)
    def _open_yaml(self, plugin_id: str, dsl_version: str | None = None) -> StreamedResponse: ...

    @sends('GET /plugins/{plugin_id}/archive', stream=True)
    def _open(self, plugin_id: str, full_archive: str | None) -> StreamedResponse: ...
