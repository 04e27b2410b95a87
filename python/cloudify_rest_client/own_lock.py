"""A lock that a forked process has anew."""
from __future__ import annotations

import os
import threading
from typing import Any


class OwnLock:
    """Another thread may hold a lock while a process forks, and that thread is not there in the new process: there, the
    lock would never be free."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        # A new process has one thread.
        if self._process != os.getpid():
            self.__init__()  # type: ignore[misc]
        self._lock.acquire()

    def __exit__(self, *_: Any) -> None:
        self._lock.release()
