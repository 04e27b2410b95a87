"""Errors that the manager answers: one class for each code that scripts catch by name. Any other error, whatever its
status, is a CloudifyClientError: look at its `status_code` and `error_code`."""
from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, Optional, Type

MAX_BODY_SHOWN = 10000


class CloudifyClientError(Exception):
    def __init__(self, message: Any, server_traceback: Optional[str] = None, status_code: int = -1,
                 error_code: Optional[str] = None, response: Any = None) -> None:
        super().__init__(message)
        self.server_traceback = server_traceback
        self.status_code = status_code
        self.error_code = error_code
        self.response = response

    def __str__(self) -> str:
        message = str(self.args[0]) if self.args else ''
        lines = (self.server_traceback or '').strip().splitlines()
        if lines:
            message = '{0} ({1})'.format(message, lines[-1])
        return '{0}: {1}'.format(self.status_code, message) if self.status_code != -1 else message


class DeploymentEnvironmentCreationInProgressError(CloudifyClientError):
    """The deployment is still being created."""


class DeploymentEnvironmentCreationPendingError(CloudifyClientError):
    """The creation of the deployment has not begun."""


class IllegalExecutionParametersError(CloudifyClientError):
    """Parameters that the workflow does not take, or none where it needs some."""


class NoSuchIncludeFieldError(CloudifyClientError):
    """`_include` names a field that there is not."""


class MissingRequiredDeploymentInputError(CloudifyClientError):
    """An input without a default was not given."""


class UnknownDeploymentInputError(CloudifyClientError):
    """An input that the blueprint does not have."""


class UnknownDeploymentSecretError(CloudifyClientError):
    """The blueprint gets a secret that there is not."""


class UnsupportedDeploymentGetSecretError(CloudifyClientError):
    """A secret is got where that cannot be done."""


class FunctionsEvaluationError(CloudifyClientError):
    """A function of the blueprint language could not be evaluated."""


class UnknownModificationStageError(CloudifyClientError):
    """A deployment modification can be finished or rolled back only."""


class ExistingStartedDeploymentModificationError(CloudifyClientError):
    """The deployment is being modified already."""


class DeploymentModificationAlreadyEndedError(CloudifyClientError):
    """The deployment modification was finished or rolled back."""


class UserUnauthorizedError(CloudifyClientError):
    """No valid credentials."""


class ForbiddenError(CloudifyClientError):
    """The user may not do this, or not in this tenant."""


class PluginInUseError(CloudifyClientError):
    """A deployment uses the plugin."""


class BlueprintInUseError(CloudifyClientError):
    """Another blueprint imports the blueprint."""


class PluginInstallationError(CloudifyClientError):
    """The plugin could not be installed."""


class PluginInstallationTimeout(CloudifyClientError):
    """The plugin was not installed in time."""


class MaintenanceModeActiveError(CloudifyClientError):
    """The manager is in maintenance mode."""


class MaintenanceModeActivatingError(CloudifyClientError):
    """The manager is entering maintenance mode."""


class NotModifiedError(CloudifyClientError):
    """It is that way already (304)."""


class InvalidExecutionUpdateStatus(CloudifyClientError):
    """An execution does not go from its status to this one."""


class NotClusterMaster(CloudifyClientError):
    """This manager is not the active one."""


class RemovedFromCluster(CloudifyClientError):
    """This manager is no longer part of the cluster."""


class DeploymentPluginNotFound(CloudifyClientError):
    """A plugin of the deployment is not installed."""


class IncompatibleClusterArchitectureError(CloudifyClientError):
    """The managers are not of one kind."""


class ExpiredCloudifyLicense(CloudifyClientError):
    """The license has expired."""


class MissingCloudifyLicense(CloudifyClientError):
    """There is no license."""


class InvalidFilterRule(CloudifyClientError):
    """A filter rule cannot be applied: `err_filter_rule`, because of `err_reason`."""

    def __init__(self, message: Any, server_traceback: Optional[str] = None, status_code: int = -1,
                 error_code: Optional[str] = None, response: Any = None, err_filter_rule: Any = None,
                 err_reason: Optional[str] = None) -> None:
        super().__init__(message, server_traceback, status_code, error_code, response)
        self.err_filter_rule = err_filter_rule
        self.err_reason = err_reason


class DeploymentParentNotFound(CloudifyClientError):
    """The deployment that a label names as the parent does not exist."""


class ForbiddenWhileCancelling(CloudifyClientError):
    """An execution that is being cancelled starts nothing new."""


ERROR_MAPPING: Dict[str, Type[CloudifyClientError]] = {
    'deployment_environment_creation_in_progress_error': DeploymentEnvironmentCreationInProgressError,
    'deployment_environment_creation_pending_error': DeploymentEnvironmentCreationPendingError,
    'illegal_execution_parameters_error': IllegalExecutionParametersError,
    'no_such_include_field_error': NoSuchIncludeFieldError,
    'missing_required_deployment_input_error': MissingRequiredDeploymentInputError,
    'unknown_deployment_input_error': UnknownDeploymentInputError,
    'unknown_deployment_secret_error': UnknownDeploymentSecretError,
    'unsupported_deployment_get_secret_error': UnsupportedDeploymentGetSecretError,
    'functions_evaluation_error': FunctionsEvaluationError,
    'unknown_modification_stage_error': UnknownModificationStageError,
    'existing_started_deployment_modification_error': ExistingStartedDeploymentModificationError,
    'deployment_modification_already_ended_error': DeploymentModificationAlreadyEndedError,
    'unauthorized_error': UserUnauthorizedError,
    'forbidden_error': ForbiddenError,
    'plugin_in_use': PluginInUseError,
    'blueprint_in_use': BlueprintInUseError,
    'plugin_installation_error': PluginInstallationError,
    'plugin_installation_timeout': PluginInstallationTimeout,
    'maintenance_mode_active': MaintenanceModeActiveError,
    'entering_maintenance_mode': MaintenanceModeActivatingError,
    'not_modified': NotModifiedError,
    'invalid_exception_status_update': InvalidExecutionUpdateStatus,
    'not_cluster_master': NotClusterMaster,
    'removed_from_cluster': RemovedFromCluster,
    'deployment_plugin_not_found': DeploymentPluginNotFound,
    'incompatible_cluster_architecture': IncompatibleClusterArchitectureError,
    'expired_cloudify_license': ExpiredCloudifyLicense,
    'missing_cloudify_license': MissingCloudifyLicense,
    'invalid_filter_rule': InvalidFilterRule,
    'deployment_parent_not_found_error': DeploymentParentNotFound,
    'forbidden_while_cancelling': ForbiddenWhileCancelling,
}


def from_response(response: Any) -> CloudifyClientError:
    """The error that an answer stands for: its JSON says which; without JSON, its text is all there is to say."""
    error = from_answer(response.status_code, response.content, response.url)
    error.response = response
    return error


def from_answer(status: int, answer: bytes, where: str) -> CloudifyClientError:
    if status == 304:
        return NotModifiedError('Not modified', status_code=status, error_code='not_modified')
    try:
        body = json.loads(answer)
    except ValueError:
        body = None
    if not isinstance(body, dict):
        text = answer[:MAX_BODY_SHOWN].decode('utf-8', 'replace').strip()
        return CloudifyClientError('{0} [{1}]'.format(text, where), status_code=status)
    code = body.get('error_code')
    kind = ERROR_MAPPING.get(code, CloudifyClientError) if isinstance(code, str) else CloudifyClientError
    error: CloudifyClientError = kind(body.get('message') or body.get('detail') or 'the manager answered {0}'.format(status),
                 body.get('server_traceback'), status, code)
    if isinstance(error, InvalidFilterRule):
        error.err_filter_rule = body.get('err_filter_rule')
        error.err_reason = body.get('err_reason')
    return error
