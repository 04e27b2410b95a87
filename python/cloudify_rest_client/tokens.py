from __future__ import annotations

from typing import Any

from cloudify_rest_client.responses import Item, ListResponse, optional
from cloudify_rest_client.sends import ResourceClient, sends


class Token(Item):
    """`value` is shown by the answer that creates it, and never again."""

    value = role = username = description = expiration_date = last_used = id = optional()


class TokensClient(ResourceClient):
    @sends('GET /tokens')
    def list(self, **kwargs: Any) -> ListResponse[Token]: ...

    @sends('GET /tokens/{token_id}')
    def get(self, token_id: str) -> Token: ...

    @sends('DELETE /tokens/{token_id}')
    def delete(self, token_id: str) -> None: ...

    @sends('POST /tokens', wire={'expiration': 'expiration_date'})
    def create(self, description: str | None = None, expiration: Any = None) -> Token:
        """`expiration`: a time, or how long from now: `+10h`."""
