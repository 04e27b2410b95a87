"""Errors that the manager answers, one class per error code that scripts catch by name."""


class CloudifyClientError(Exception):
    def __init__(self, message, server_traceback=None, status_code=-1, error_code=None, response=None):
        super().__init__(message)
        self.message = message
        self.server_traceback = server_traceback
        self.status_code = status_code
        self.error_code = error_code
        self.response = response

    def __str__(self):
        return '{0}: {1}'.format(self.status_code, self.message) if self.status_code != -1 else self.message


class BadParametersError(CloudifyClientError):
    pass


class IllegalActionError(CloudifyClientError):
    pass


class NotFoundError(CloudifyClientError):
    pass


class ConflictError(CloudifyClientError):
    pass


class DependentExistsError(CloudifyClientError):
    pass


class ForbiddenError(CloudifyClientError):
    pass


class ForbiddenWhileCancelling(ForbiddenError):
    pass


class UserUnauthorizedError(CloudifyClientError):
    pass


class FunctionsEvaluationError(CloudifyClientError):
    pass


class UnknownDeploymentInputError(CloudifyClientError):
    pass


class MissingRequiredDeploymentInputError(CloudifyClientError):
    pass


class DeploymentEnvironmentCreationInProgressError(CloudifyClientError):
    pass


class ExistingRunningExecutionError(CloudifyClientError):
    pass


class NonexistentWorkflowError(CloudifyClientError):
    pass


class NotModifiedError(CloudifyClientError):
    pass


BY_CODE = {
    'bad_parameters_error': BadParametersError,
    'illegal_action_error': IllegalActionError,
    'not_found_error': NotFoundError,
    'conflict_error': ConflictError,
    'dependent_exists_error': DependentExistsError,
    'forbidden_error': ForbiddenError,
    'forbidden_while_cancelling_error': ForbiddenWhileCancelling,
    'unauthorized_error': UserUnauthorizedError,
    'dsl_functions_evaluation_error_deployment_outputs': FunctionsEvaluationError,
    'dsl_functions_evaluation_error': FunctionsEvaluationError,
    'unknown_deployment_input_error': UnknownDeploymentInputError,
    'missing_required_deployment_input_error': MissingRequiredDeploymentInputError,
    'deployment_environment_creation_in_progress_error': DeploymentEnvironmentCreationInProgressError,
    'existing_running_execution_error': ExistingRunningExecutionError,
    'nonexistent_workflow_error': NonexistentWorkflowError,
}

BY_STATUS = {304: NotModifiedError, 401: UserUnauthorizedError, 403: ForbiddenError, 404: NotFoundError,
             409: ConflictError}


def from_answer(status, body):
    """The error that an answer's status and JSON body stand for."""
    body = body if isinstance(body, dict) else {'message': str(body)}
    code = body.get('error_code')
    kind = BY_CODE.get(code) or BY_STATUS.get(status, CloudifyClientError)
    message = body.get('message') or body.get('detail') or 'the manager answered {0}'.format(status)
    traceback = body.get('server_traceback')
    if traceback and traceback.strip():
        message = '{0} ({1})'.format(message, traceback.strip().splitlines()[-1])
    return kind(message, server_traceback=traceback, status_code=status, error_code=code)
