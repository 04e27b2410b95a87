"""Operations of PasswordSecret nodes, by the names that types.yaml has for them."""
from cloudify_types.password_secret.operations import (  # noqa: F401
    create, creation_validation, delete)
