"""Runtime properties as an operation sees them (docs/reference/operations.md, "Runtime properties")."""
from typing import Any, Dict

from cloudify.exceptions import NonRecoverableError


class DirtyTrackingDict(dict):
    """Knows whether its top level was changed. Changes of nested values, and `setdefault`, do not count: so it is in
    the original, and plugins are written for it. Who changed a nested value says so by `_set_changed()`."""

    modifiable: bool
    dirty: bool

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.modifiable = True
        self.dirty = False

    def check_modifiable(self) -> None:
        if not self.modifiable:
            raise NonRecoverableError('Cannot modify runtime properties of relationship node instances')

    def _set_changed(self) -> None:
        self.check_modifiable()
        self.dirty = True

    def settle(self, stored: Dict[str, Any]) -> None:
        """Becomes what is stored now, as the same object: scripts keep a name for it across an update."""
        if stored != self:
            super().clear()
            super().update(stored)
        self.dirty = False

    def __setitem__(self, key: Any, value: Any) -> None:
        self._set_changed()
        super().__setitem__(key, value)

    def __delitem__(self, key: Any) -> None:
        self._set_changed()
        super().__delitem__(key)

    def update(self, E: Any = None, **F: Any) -> None:  # type: ignore[override]
        self._set_changed()
        super().update(() if E is None else E, **F)

    def clear(self) -> None:
        self._set_changed()
        super().clear()

    def pop(self, k: Any, d: Any = None) -> Any:  # type: ignore[override]
        """None for what is absent, unlike a dict's: plugins drop keys that may not be there."""
        self._set_changed()
        return super().pop(k, d)

    def popitem(self) -> Any:
        self._set_changed()
        return super().popitem()

    def __reduce__(self) -> Any:  # so that copies and pickles are made of the whole, not item by item
        return _restore, (dict(self), self.modifiable, self.dirty)


def _restore(items: Dict[str, Any], modifiable: bool, dirty: bool) -> DirtyTrackingDict:
    restored = DirtyTrackingDict(items)
    restored.modifiable = modifiable
    restored.dirty = dirty
    return restored
