"""What the client returns: dicts that know the names of their fields, and lists with their paging."""
from __future__ import annotations

from typing import Any, Callable, Dict, Generic, Iterator, List, Mapping, Optional, TypeVar, cast

T = TypeVar('T')


class Field:
    """Becomes a read-only property of the class, for each name that it is assigned to."""

    def __init__(self, key: Optional[str], default: Any, is_required: bool, of: Optional[type]) -> None:
        self.key = key
        self.default = default
        self.is_required = is_required
        self.of = of

    def property_named(self, name: str) -> property:
        key, default = self.key or name, self.default
        if self.is_required:
            return property(lambda item: item[key])
        if isinstance(default, (dict, list)):
            return property(lambda item: item.get(key, type(default)(default)))
        return property(lambda item: item.get(key, default))


def optional(key: Optional[str] = None, default: Any = None, of: Optional[type] = None) -> Any:
    """A field that the manager may leave out. `of`: the class of its value, or of each value in its list."""
    return Field(key, default, False, of)


def required(key: Optional[str] = None, of: Optional[type] = None) -> Any:
    """A field without which the answer makes no sense: a KeyError where the manager leaves it out."""
    return Field(key, None, True, of)


class Item(Dict[str, Any]):
    """A resource: `site['name']`, and `site.name` for the fields that its class names."""

    _nested: Dict[str, type] = {}

    def __init_subclass__(cls) -> None:
        for name, field in list(vars(cls).items()):
            if isinstance(field, Field):
                if field.of is not None:
                    cls._nested = dict(cls._nested, **{field.key or name: field.of})
                setattr(cls, name, field.property_named(name))

    def __init__(self, *args: Any, **fields: Any) -> None:
        super().__init__(*args, **fields)
        for name, kind in self._nested.items():
            value = self.get(name)
            if isinstance(value, list):
                self[name] = [kind(one) if isinstance(one, dict) else one for one in value]
            elif isinstance(value, dict):
                self[name] = kind(value)


class Pagination(Item):
    """Which part of a list an answer has: `size` is how many were asked for at most, `total` how many there are."""

    offset = optional(default=0)
    size = optional(default=0)
    total = optional(default=0)


class Metadata(Item):
    pagination: Pagination = optional(of=Pagination, default=Pagination())


class ListResponse(Generic[T]):
    """A page of resources."""

    def __init__(self, items: List[T], metadata: Optional[Mapping[str, Any]] = None) -> None:
        self.items = items
        self.metadata = Metadata(metadata or {})

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: Any) -> Any:
        return self.items[index]

    def __repr__(self) -> str:
        return '<ListResponse of {0} items, {1}>'.format(len(self.items), dict(self.metadata))

    def sort(self, key: Optional[Callable[[T], Any]] = None, reverse: bool = False) -> None:
        self.items.sort(key=cast(Any, key), reverse=reverse)

    def one(self) -> T:
        """The only item. Raises ValueError when there is another number of them."""
        if len(self.items) != 1:
            raise ValueError('There are {0} items and not one'.format(len(self.items)))
        return self.items[0]
