"""A small client of the manager's REST API, generic over its resources."""
from cloudify_rest_client.client import CloudifyClient

__all__ = ['CloudifyClient']
