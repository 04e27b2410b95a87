"""Operations that the manager does itself."""
from typing import Any, Callable

from cloudify.decorators import operation
from cloudify.exceptions import NonRecoverableError


def done_by_the_manager(name: str, instead: str) -> Callable[..., Any]:
    @operation(resumable=True)
    def function(*_: Any, **__: Any) -> Any:
        raise NonRecoverableError('{0} is not to be had from Python in this manager: {1}'.format(name, instead))
    function.__name__ = function.__qualname__ = name.rpartition('.')[2]
    return function
