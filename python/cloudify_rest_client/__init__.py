"""A small client of the manager's REST API, generic over its resources."""

__all__ = ['CloudifyClient']


def __getattr__(name):
    """Nothing is imported with the package itself: a thread that imports one of its modules while another imports the
    package would wait for it in a circle, and Python ends that with an error."""
    if name != 'CloudifyClient':
        raise AttributeError('module {0!r} has no attribute {1!r}'.format(__name__, name))
    from cloudify_rest_client.client import CloudifyClient
    return CloudifyClient
