"""What `ctx ARGS…` may reach: of each kind of object these attributes and no others. Tokens, the REST client and all
that begins with an underscore are for Python operations only: a script's processes hand them on too easily."""
import logging
from collections.abc import MutableMapping

from cloudify import context_parts, node
from cloudify.context import CloudifyContext

INSTANCE = ('id', 'runtime_properties', 'host_ip', 'relationships', 'scaling_groups', 'index', 'drift', 'update',
            'refresh')

BY_KIND = (
    (CloudifyContext, (
        'type', 'task_type', 'task_id', 'task_name', 'task_target', 'task_queue', 'execution_id', 'execution_env',
        'execution_creator_username', 'workflow_id', 'workflow_parameters', 'tenant', 'tenant_name', 'rest_host',
        'rest_port', 'rest_ssl_cert', 'bypass_maintenance', 'resume', 'timeout', 'timeout_recoverable',
        'logger', 'bootstrap_context', 'provider_context', 'capabilities',
        'node', 'instance', 'source', 'target', 'operation', 'deployment', 'blueprint', 'plugin', 'agent',
        'send_event', 'get_resource', 'get_resource_and_render', 'download_resource', 'download_resource_and_render',
        'download_directory', 'get_config', 'get_operation', 'get_execution', 'get_managers',
        'local_deployment_workdir', 'download_deployment_workdir', 'upload_deployment_workdir',
        'upload_deployment_file', 'delete_deployment_file',
        'returns', 'abort_operation', 'retry_operation')),
    (node.NodeContext, ('id', 'name', 'properties', 'type', 'type_hierarchy', 'number_of_instances')),
    (node.NodeInstanceContext, INSTANCE),
    (node.RelationshipSubjectContext, ('node', 'instance')),
    (node.RelationshipContext, ('type', 'type_hierarchy', 'target')),
    (context_parts.OperationContext, ('name', 'retry_number', 'max_retries', 'relationship', 'retry')),
    (context_parts.PluginContext, ('name', 'package_name', 'package_version', 'visibility', 'tenant_name', 'source',
                                   'properties', 'prefix', 'workdir')),
    ((context_parts.BlueprintContext, context_parts.DeploymentContext), (
        'id', 'display_name', 'creator', 'tenant_name', 'resource_tags', 'runtime_only_evaluation')),
    (context_parts.AgentContext, ('init_script',)),
    (context_parts.ContextCapabilities, ('get_all',)),
    (context_parts.BootstrapContext, ('resources_prefix', 'policy_engine', 'cloudify_agent')),
    (MutableMapping, ('get', 'items', 'keys', 'values', 'update', 'pop', 'popitem', 'clear', 'setdefault', 'copy')),
)

LOGGER = ('debug', 'info', 'warning', 'warn', 'error', 'critical', 'exception')


def reachable(value):
    """Names of the attributes of `value` that a `ctx` command may take."""
    own = getattr(type(value), '_stands_for', type(value))  # cloudify.mocks: as the real ones
    for kind, names in BY_KIND:
        if issubclass(own, kind):
            return names
    return LOGGER if isinstance(value, logging.Logger) else ()
