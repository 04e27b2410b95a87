"""Records that the manager answers, where the SDK reads them without the client."""
from typing import Any


class Record(dict):
    """A JSON object whose fields are attributes too. One that it does not have is an AttributeError."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError('there is no field "{0}"; the fields are: {1}'.format(
                name, ', '.join(sorted(map(str, self))))) from None


def records(rows: Any) -> list:
    return [Record(row) for row in rows]
