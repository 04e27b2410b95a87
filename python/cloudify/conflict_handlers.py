"""Ways to settle two changes of one instance, for `ctx.instance.update(on_conflict=…)`."""
from typing import Any, Dict


def simple_merge_handler(previous: Dict[str, Any], next_version: Dict[str, Any]) -> Dict[str, Any]:
    """Both sides' properties. Raises ValueError for a key whose values differ: neither side is the right one."""
    for key in sorted(set(previous) & set(next_version), key=str):
        if previous[key] != next_version[key]:
            raise ValueError('Cannot merge: "{0}" is {1!r} here and {2!r} in what is stored'.format(
                key, previous[key], next_version[key]))
    return dict(previous, **next_version)
