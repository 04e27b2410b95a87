"""See cloudify_types.constants."""
from cloudify_types.constants import *  # noqa: F401,F403
