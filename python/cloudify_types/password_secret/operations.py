"""Operations of PasswordSecret nodes. The manager refuses blueprints with such nodes as yet; what other plugins call is here."""
from cloudify_types.unavailable import done_by_the_manager

_INSTEAD = ('nodes of service composition are not built yet. Use cloudify.utils.generate_user_password and '
            'cloudify.manager.get_rest_client().secrets')

create = done_by_the_manager('cloudify_types.password_secret.operations.create', _INSTEAD)
delete = done_by_the_manager('cloudify_types.password_secret.operations.delete', _INSTEAD)
creation_validation = done_by_the_manager('cloudify_types.password_secret.operations.creation_validation', _INSTEAD)
