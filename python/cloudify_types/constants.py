"""Names and patience of the service composition types. Times are seconds."""
EXTERNAL_RESOURCE = 'external_resource'
CAPABILITIES = 'capabilities'
POLLING_INTERVAL = 1
EXECUTIONS_TIMEOUT = 1800
DEPLOYMENTS_TIMEOUT = 120
DEPLOYMENTS_CREATE_RETRIES = 10
PAGINATION_SIZE = 1000
SHARED_RESOURCE_TYPE = 'cloudify.nodes.SharedResource'
WORKFLOW_EXECUTION_TIMEOUT = 1800
