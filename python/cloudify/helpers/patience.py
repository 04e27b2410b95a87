"""Waiting for what is not there yet."""
import time
from functools import wraps
from typing import Any, Callable, Type

from cloudify.constants import KEEP_TRYING_HTTP_TOTAL_TIMEOUT_SEC, MAX_WAIT_BETWEEN_HTTP_RETRIES_SEC


def wait_for(callable_obj: Callable[[], Any], value_attr: Any, condition_attr: Any, condition: Any,
             exception: Type[BaseException], msg: str = '', timeout: float = 900) -> None:
    """Asks every ten seconds until `callable_obj(value_attr)` has `condition` as its `condition_attr`."""
    deadline = time.monotonic() + timeout
    while True:
        found = callable_obj(value_attr)  # type: ignore[call-arg]
        current = getattr(found, condition_attr, None)
        if current is None and isinstance(found, dict):
            current = found.get(condition_attr)
        if current == condition:
            return
        if time.monotonic() >= deadline:
            raise exception(msg)
        time.sleep(min(10, max(deadline - time.monotonic(), 0)))


def keep_trying_http(total_timeout_sec: float = KEEP_TRYING_HTTP_TOTAL_TIMEOUT_SEC,
                     max_delay_sec: float = MAX_WAIT_BETWEEN_HTTP_RETRIES_SEC) -> Callable[..., Any]:
    """Decorator: again after failed connections and statuses from 500 on, ever less often, until the time is over."""
    from cloudify.node_instance import unreachable

    def decorate(function):
        @wraps(function)
        def wrapper(*args, **kwargs):
            from cloudify_rest_client.exceptions import CloudifyClientError
            deadline = None if total_timeout_sec is None else time.monotonic() + total_timeout_sec
            pause = 1.0
            while True:
                try:
                    return function(*args, **kwargs)
                except Exception as error:
                    is_passing = isinstance(error, unreachable()) or (
                        isinstance(error, CloudifyClientError) and error.status_code >= 500)
                    if not is_passing or (deadline is not None and time.monotonic() + pause > deadline):
                        raise
                time.sleep(pause)
                pause = min(pause * 2, max_delay_sec)
        return wrapper
    return decorate
