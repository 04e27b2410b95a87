"""Operations of Blueprint nodes. The manager refuses blueprints with such nodes as yet; what other plugins call is here."""
from cloudify_types.unavailable import done_by_the_manager

_INSTEAD = ('nodes of service composition are not built yet. Use cloudify.manager.get_rest_client().blueprints')

upload = done_by_the_manager('cloudify_types.blueprint.operations.upload', _INSTEAD)
delete = done_by_the_manager('cloudify_types.blueprint.operations.delete', _INSTEAD)
