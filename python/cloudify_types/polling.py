"""Waiting for the manager."""
import time
from typing import Any, Callable

from cloudify.exceptions import NonRecoverableError


def poll_with_timeout(pollster: Callable[[], Any], timeout: float, interval: float = 1, expected_result: Any = True
                      ) -> bool:
    """Whether it answered what is expected within `timeout` seconds; −1 waits for ever."""
    deadline = None if timeout == -1 else time.monotonic() + timeout
    while True:
        if pollster() == expected_result:
            return True
        if deadline is not None and time.monotonic() + interval > deadline:
            return False
        time.sleep(interval)


def wait_for_blueprint_to_upload(blueprint_id: str, client: Any, timeout_seconds: float = 30) -> None:
    """Raises NonRecoverableError when it fails, or is not there in time."""
    from cloudify.models_states import BlueprintUploadState

    def has_ended() -> bool:
        blueprint = client.blueprints.get(blueprint_id)
        if blueprint['state'] in BlueprintUploadState.FAILED_STATES:
            raise NonRecoverableError('Blueprint {0} was not uploaded: {1}'.format(
                blueprint_id, blueprint.get('error') or blueprint['state']))
        return blueprint['state'] == BlueprintUploadState.UPLOADED

    if not poll_with_timeout(has_ended, timeout_seconds):
        raise NonRecoverableError('Blueprint {0} was not uploaded within {1} s'.format(blueprint_id, timeout_seconds))
