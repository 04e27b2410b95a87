"""Encryption with the manager's key. That key never leaves the manager here, so there is nothing to encrypt with."""
from typing import Any

from cloudify.exceptions import NonRecoverableError


def _unavailable(*_: Any, **__: Any) -> Any:
    raise NonRecoverableError('The key of this manager is for the manager alone: keep what has to be kept secret with '
                              'cloudify.manager.get_rest_client().secrets')


encrypt = decrypt = generate_key_using_password = _unavailable
