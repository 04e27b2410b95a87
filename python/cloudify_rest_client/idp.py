from __future__ import annotations

from typing import Any

from cloudify_rest_client.sends import ResourceClient, sends


class IdentityProviderClient(ResourceClient):
    @sends('GET /idp')
    def get(self) -> Any:
        """Where users are looked up: `local` or `ldap`."""
