"""Operations of Component nodes. The manager refuses blueprints with such nodes as yet; what other plugins call is here."""
from cloudify_types.unavailable import done_by_the_manager

_INSTEAD = ('nodes of service composition are not built yet. Make the deployment with cloudify.manager.get_rest_client(): '
            'deployments.create, executions.start, and cloudify_types.component.polling to wait for it')

upload_blueprint = done_by_the_manager('cloudify_types.component.operations.upload_blueprint', _INSTEAD)
create = done_by_the_manager('cloudify_types.component.operations.create', _INSTEAD)
execute_start = done_by_the_manager('cloudify_types.component.operations.execute_start', _INSTEAD)
delete = done_by_the_manager('cloudify_types.component.operations.delete', _INSTEAD)
refresh = done_by_the_manager('cloudify_types.component.operations.refresh', _INSTEAD)
check_drift = done_by_the_manager('cloudify_types.component.operations.check_drift', _INSTEAD)
check_status = done_by_the_manager('cloudify_types.component.operations.check_status', _INSTEAD)
heal = done_by_the_manager('cloudify_types.component.operations.heal', _INSTEAD)
update = done_by_the_manager('cloudify_types.component.operations.update', _INSTEAD)
