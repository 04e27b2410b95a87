"""States of the manager's records, as the REST service spells them."""


class DeploymentModificationState:
    STARTED = 'started'
    FINISHED = 'finished'
    ROLLEDBACK = 'rolledback'

    STATES = [STARTED, FINISHED, ROLLEDBACK]
    END_STATES = [FINISHED, ROLLEDBACK]


class SnapshotState:
    CREATED = 'created'
    FAILED = 'failed'
    CREATING = 'creating'
    UPLOADED = 'uploaded'

    STATES = [CREATED, FAILED, CREATING, UPLOADED]
    END_STATES = [CREATED, FAILED, UPLOADED]


class LogBundleState:
    CREATED = 'created'
    FAILED = 'failed'
    CREATING = 'creating'
    UPLOADED = 'uploaded'

    STATES = [CREATED, FAILED, CREATING, UPLOADED]
    END_STATES = [CREATED, FAILED, UPLOADED]


class ExecutionState:
    TERMINATED = 'terminated'
    FAILED = 'failed'
    CANCELLED = 'cancelled'
    PENDING = 'pending'
    STARTED = 'started'
    CANCELLING = 'cancelling'
    FORCE_CANCELLING = 'force_cancelling'
    KILL_CANCELLING = 'kill_cancelling'
    QUEUED = 'queued'
    SCHEDULED = 'scheduled'

    STATES = [TERMINATED, FAILED, CANCELLED, PENDING, STARTED, CANCELLING, FORCE_CANCELLING, KILL_CANCELLING, QUEUED,
              SCHEDULED]
    WAITING_STATES = [SCHEDULED, QUEUED]
    QUEUED_STATE = [QUEUED]
    END_STATES = [TERMINATED, FAILED, CANCELLED]
    IN_PROGRESS_STATES = [PENDING, STARTED, CANCELLING, FORCE_CANCELLING, KILL_CANCELLING]
    ACTIVE_STATES = IN_PROGRESS_STATES + WAITING_STATES


class DeploymentState:
    # installation_status
    ACTIVE = 'active'
    INACTIVE = 'inactive'

    # of the latest execution
    IN_PROGRESS = 'in_progress'
    COMPLETED = 'completed'
    FAILED = 'failed'
    CANCELLED = 'cancelled'

    # deployment_status
    GOOD = 'good'
    REQUIRE_ATTENTION = 'requires_attention'

    EXECUTION_STATES_SUMMARY = {
        ExecutionState.TERMINATED: COMPLETED,
        ExecutionState.FAILED: FAILED,
        ExecutionState.CANCELLED: CANCELLED,
        ExecutionState.PENDING: IN_PROGRESS,
        ExecutionState.STARTED: IN_PROGRESS,
        ExecutionState.CANCELLING: IN_PROGRESS,
        ExecutionState.FORCE_CANCELLING: IN_PROGRESS,
        ExecutionState.KILL_CANCELLING: IN_PROGRESS,
        ExecutionState.QUEUED: IN_PROGRESS,
        ExecutionState.SCHEDULED: IN_PROGRESS,
    }


class VisibilityState:
    PRIVATE = 'private'
    TENANT = 'tenant'
    GLOBAL = 'global'

    STATES = [PRIVATE, TENANT, GLOBAL]


class AgentState:
    CREATING = 'creating'
    CREATED = 'created'
    CONFIGURING = 'configuring'
    CONFIGURED = 'configured'
    STARTING = 'starting'
    STARTED = 'started'
    STOPPING = 'stopping'
    STOPPED = 'stopped'
    DELETING = 'deleting'
    DELETED = 'deleted'
    RESTARTING = 'restarting'
    RESTARTED = 'restarted'
    RESTORED = 'restored'
    UPGRADING = 'upgrading'
    UPGRADED = 'upgraded'
    NONRESPONSIVE = 'nonresponsive'
    FAILED = 'failed'

    STATES = [CREATING, CREATED, CONFIGURING, CONFIGURED, STARTING, STARTED, STOPPING, STOPPED, DELETING, DELETED,
              RESTARTING, RESTARTED, RESTORED, UPGRADING, UPGRADED, NONRESPONSIVE, FAILED]


class PluginInstallationState:
    PENDING = 'pending-install'
    INSTALLING = 'installing'
    INSTALLED = 'installed'
    ERROR = 'error'
    PENDING_UNINSTALL = 'pending-uninstall'
    UNINSTALLING = 'uninstalling'
    UNINSTALLED = 'uninstalled'


class BlueprintUploadState:
    PENDING = 'pending'
    VALIDATING = 'validating'
    VALIDATED = 'validated'
    UPLOADING = 'uploading'
    EXTRACTING = 'extracting'
    PARSING = 'parsing'
    UPLOADED = 'uploaded'
    FAILED_UPLOADING = 'failed_uploading'
    FAILED_EXTRACTING = 'failed_extracting'
    FAILED_PARSING = 'failed_parsing'
    FAILED_EXTRACTING_TO_FILE_SERVER = 'failed_extracting_to_file_server'
    INVALID = 'invalid'

    FAILED_STATES = [FAILED_UPLOADING, FAILED_EXTRACTING, FAILED_PARSING, FAILED_EXTRACTING_TO_FILE_SERVER, INVALID]
    END_STATES = FAILED_STATES + [UPLOADED, VALIDATED]
