"""What scripts and plugins import: a small runtime that speaks to the manager over REST alone (spec/operations.md 2)."""
from cloudify.state import ctx

__all__ = ['ctx']
