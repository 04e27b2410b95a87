"""For how long a failure is tried again (docs/reference/operations.md, "Patience")."""
from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

UNREACHABLE_S = 3600  # no connection, or a status ≥ 502: a manager that restarts or fails over is waited for
FAULT_S = 60  # 500, and 403 while a token spreads through a cluster
PAUSE_S = (0.1, 0.2, 0.5, 1, 2, 5)


class Patience:
    """Of one request: `wait` for as long as that makes sense."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._attempt = 0

    def wait(self, status: Optional[int]) -> bool:
        """Pauses, and says whether to try again after this status; None: there was no answer."""
        if time.monotonic() - self._began >= lasting_s(status):
            return False
        time.sleep(PAUSE_S[min(self._attempt, len(PAUSE_S) - 1)])
        self._attempt += 1
        return True


def lasting_s(status: Optional[int]) -> int:
    if status is None or status >= 502:
        return UNREACHABLE_S
    return FAULT_S if status in (500, 403) else 0
