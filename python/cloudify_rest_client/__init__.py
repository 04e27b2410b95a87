"""A client of the manager's REST API: `CloudifyClient`."""
from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from cloudify_rest_client.client import CloudifyClient
    from cloudify_rest_client.cluster import CloudifyClusterClient

__all__ = ['CloudifyClient', 'CloudifyClusterClient']


def __getattr__(name: str) -> Any:
    """Nothing is imported with the package itself: a thread that imports one of its modules while another imports the
    package would wait for it in a circle, and Python ends that with an error."""
    if name not in __all__:
        raise AttributeError('module {0!r} has no attribute {1!r}'.format(__name__, name))
    from cloudify_rest_client import client, cluster
    return {'CloudifyClient': client.CloudifyClient, 'CloudifyClusterClient': cluster.CloudifyClusterClient}[name]
