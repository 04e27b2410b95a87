from __future__ import annotations

from typing import Any, Dict

from cloudify_rest_client.sends import ResourceClient, sends


class CommunityContactsClient(ResourceClient):
    def create(self, firstname: str, lastname: str, email: str, phone: str | None, is_eula: bool) -> str:
        """Registers the user of the manager. The customer id."""
        customer_id: str = self._create(firstname, lastname, email, phone, is_eula)['customer_id']
        self._register(customer_id)
        return customer_id

    @sends('POST /contacts', wire={'firstname': 'first_name', 'lastname': 'last_name'})
    def _create(self, firstname: str, lastname: str, email: str, phone: str | None,
                is_eula: bool) -> Dict[str, Any]: ...

    @sends('POST /license')
    def _register(self, customer_id: str) -> None: ...
