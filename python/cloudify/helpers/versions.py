"""Versions of managers."""
from functools import total_ordering
from typing import Any, Tuple


@total_ordering
class ManagerVersion:
    """`6.4`, `7.0.2`: numbers by their places, where an absent one is 0."""

    def __init__(self, raw_version: str) -> None:
        parts = str(raw_version).split('-')[0].split('.')
        numbers = [int(part) if part.isdigit() else 0 for part in parts[:3]]
        self.major, self.minor, self.service = (numbers + [0, 0, 0])[:3]

    @property
    def _key(self) -> Tuple[int, int, int]:
        return self.major, self.minor, self.service

    def greater_than(self, other: 'ManagerVersion') -> bool:
        return self > other

    def equals(self, other: 'ManagerVersion') -> bool:
        return self == other

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, ManagerVersion) and self._key == other._key

    def __lt__(self, other: 'ManagerVersion') -> bool:
        return self._key < other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __str__(self) -> str:
        return '{0}.{1}.{2}'.format(*self._key)
