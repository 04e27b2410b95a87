"""The client of several managers, under the name that plugins import."""
from cloudify_rest_client.cluster import ClusterHTTPClient, CloudifyClusterClient

__all__ = ['CloudifyClusterClient', 'ClusterHTTPClient']
