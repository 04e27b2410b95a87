"""What is not here: sending operations to workers out of a Python workflow."""
from cloudify.exceptions import NonRecoverableError


def needs_engine(what: str, instead: str) -> NonRecoverableError:
    return NonRecoverableError('{0} needs the engine of Python workflows, which is not built yet in this manager: '
                               '{1}'.format(what, instead))


INSTEAD_OF_OPERATIONS = (
    'start the built-in workflow execute_operation of the deployment '
    '(cloudify.manager.get_rest_client().executions.start(deployment_id, "execute_operation", {"operation": …}))')


def instead_of_workflow(name: str) -> str:
    return ('start the built-in workflow {0} (cloudify.manager.get_rest_client().executions.start(deployment_id, "{0}"), '
            'or ctx.start_execution in a workflow)'.format(name))
