"""Values that arguments take."""
from __future__ import annotations


class VisibilityState:
    """Who sees a resource: its creator, its tenant, everybody."""

    PRIVATE = 'private'
    TENANT = 'tenant'
    GLOBAL = 'global'
    STATES = [PRIVATE, TENANT, GLOBAL]
    states_except_global = [PRIVATE, TENANT]


states_except_global = VisibilityState.states_except_global
VISIBILITY_EXCEPT_PRIVATE = [VisibilityState.TENANT, VisibilityState.GLOBAL]
