from __future__ import annotations

from typing import Any, Dict

from cloudify_rest_client.responses import Item, ListResponse, optional
from cloudify_rest_client.sends import ResourceClient, sends
from cloudify_rest_client.transfer import Upload


class License(Item):
    customer_id = expiration_date = license_edition = cloudify_version = capabilities = signature = optional()
    expired = optional()
    trial = optional('license_edition')


class LicenseClient(ResourceClient):
    @sends('GET /license')
    def list(self) -> ListResponse[License]: ...

    @sends('GET /license-check')
    def check(self) -> None:
        """Raises MissingCloudifyLicense or ExpiredCloudifyLicense."""

    @sends('DELETE /license')
    def delete(self) -> None: ...

    def upload(self, license_path: str) -> Dict[str, Any]:
        with open(license_path, 'rb') as file:
            return self._upload(Upload(file))

    @sends('PUT /license', data='content')
    def _upload(self, content: Any) -> Dict[str, Any]: ...
