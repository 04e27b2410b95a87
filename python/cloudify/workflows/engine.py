"""What is not here: what only a manager does, and what this one does not do yet."""
from cloudify.exceptions import NonRecoverableError


def needs_engine(what: str, instead: str = '') -> NonRecoverableError:
    return NonRecoverableError('{0} is the work of a manager, and this is a run without one{1}'.format(
        what, instead and ': ' + instead))


def not_built(what: str, instead: str) -> NonRecoverableError:
    return NonRecoverableError('{0} is not built yet in this manager: {1}'.format(what, instead))


def instead_of_workflow(name: str) -> str:
    return ('start the built-in workflow {0} (cloudify.manager.get_rest_client().executions.start(deployment_id, "{0}"), '
            'or ctx.start_execution in a workflow)'.format(name))
