"""Objects that stand for others which exist only later: `from cloudify import ctx` runs before there is an operation.

The name and the two functions are those of the package that the original SDK is built on, because plugins ask
`isinstance(ctx, proxy_tools.Proxy)`.
"""
import operator
from typing import Any, Callable, Dict, Optional

__all__ = ['Proxy', 'proxy']

_FORWARDED: Dict[str, Callable[..., Any]] = {
    '__str__': str, '__repr__': repr, '__hash__': hash, '__len__': len, '__iter__': iter, '__dir__': dir,
    '__contains__': operator.contains, '__getitem__': operator.getitem, '__setitem__': operator.setitem,
    '__delitem__': operator.delitem, '__lt__': operator.lt, '__le__': operator.le, '__eq__': operator.eq,
    '__ne__': operator.ne, '__gt__': operator.gt, '__ge__': operator.ge, '__add__': operator.add,
    '__sub__': operator.sub, '__mul__': operator.mul, '__truediv__': operator.truediv,
    '__floordiv__': operator.floordiv, '__mod__': operator.mod, '__and__': operator.and_, '__or__': operator.or_,
    '__xor__': operator.xor, '__neg__': operator.neg, '__int__': int, '__float__': float,
    '__enter__': lambda current: current.__enter__(),
    '__exit__': lambda current, *args: current.__exit__(*args),
    '__call__': lambda current, *args, **kwargs: current(*args, **kwargs),
}


class Proxy:
    """Does everything with what `local()` answers at that moment."""

    _is_coroutine = None  # asyncio asks for it, for mock.patch('plugin.ctx') before there is a ctx

    def __init__(self, local: Callable[[], Any], name: Optional[str] = None) -> None:
        object.__setattr__(self, '_Proxy__local', local)
        object.__setattr__(self, '__name__', name or getattr(local, '__name__', 'proxy'))
        object.__setattr__(self, '__wrapped__', local)

    def _get_current_object(self) -> Any:
        """What the proxy stands for now: for those who keep it beyond this moment, or hand it to another thread."""
        return object.__getattribute__(self, '_Proxy__local')()

    @property
    def __dict__(self):  # type: ignore[override]  # vars(ctx) is of what it stands for
        try:
            return self._get_current_object().__dict__
        except RuntimeError:
            raise AttributeError('__dict__') from None

    def __getattr__(self, name: str) -> Any:
        try:
            current = self._get_current_object()
        except RuntimeError:
            if name.startswith('__'):  # mock.patch and the like ask such things of everything, to find out what it is
                raise AttributeError(name) from None
            raise
        return getattr(current, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self._get_current_object(), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._get_current_object(), name)

    def __bool__(self) -> bool:
        """False where there is nothing that it could stand for: `if ctx:` may be asked anywhere."""
        try:
            return bool(self._get_current_object())
        except RuntimeError:
            return False


def _forward(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def forwarded(self, *args, **kwargs):
        others = [one._get_current_object() if isinstance(one, Proxy) else one for one in args]
        try:
            current = self._get_current_object()
        except RuntimeError:
            if name in ('__repr__', '__str__'):  # a debugger or a log asks these of everything
                return '<{0} unbound>'.format(type(self).__name__)
            if name == '__dir__':
                return []
            raise
        return function(current, *others, **kwargs)
    forwarded.__name__ = name
    return forwarded


for _name, _function in _FORWARDED.items():
    setattr(Proxy, _name, _forward(_name, _function))


def proxy(function: Callable[[], Any]) -> Any:
    """Decorator: the name becomes a proxy of what the function answers."""
    return Proxy(function)
