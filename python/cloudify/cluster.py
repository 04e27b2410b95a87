"""The client of a manager with several addresses."""
from typing import Any, Optional

from cloudify_rest_client.client import CloudifyClient


class CloudifyClusterClient(CloudifyClient):
    """As CloudifyClient, which tries one address after the other too; the name is for code that asks for it."""

    def __init__(self, host: Any = 'localhost', *args: Any, profile: Optional[Any] = None, **kwargs: Any) -> None:
        super().__init__(host, *args, **kwargs)
