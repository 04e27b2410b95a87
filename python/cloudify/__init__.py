"""What scripts and plugins import: a small runtime that speaks to the manager over REST alone (docs/reference/python.md)."""
from cloudify.state import ctx

__all__ = ['ctx']
