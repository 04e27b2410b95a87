"""Every name that plugins import or read, and what importing must not do."""
import ast
import importlib
import os
import subprocess
import sys
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

NAMES = {
    'cloudify': 'ctx broker_config',
    'cloudify.state': 'NotInContext CtxParameters CurrentContext current_ctx current_workflow_ctx ctx ctx_parameters '
                      'workflow_ctx workflow_parameters',
    'cloudify.decorators': 'operation workflow serial_operation task',
    'cloudify.context': 'CloudifyContext NODE_INSTANCE RELATIONSHIP_INSTANCE DEPLOYMENT NodeContext NodeInstanceContext '
                        'BlueprintContext DeploymentContext RelationshipContext RelationshipSubjectContext '
                        'ContextCapabilities BootstrapContext ImmutableProperties OperationContext PluginContext '
                        'CommonContext',
    'cloudify.exceptions': 'NonRecoverableError RecoverableError OperationRetry CloudifySerializationRetry HttpException '
                           'CommandExecutionError CommandExecutionException TimeoutException PluginInstallationError '
                           'ClosedAMQPClientException ProcessKillCancelled StopAgent WorkflowFailed '
                           'InvalidBlueprintImport ProcessException',
    'cloudify.error_handling': 'serialize_known_exception deserialize_known_exception',
    'cloudify.manager': 'get_rest_client get_node_instance update_node_instance get_node_instance_ip NodeInstance '
                        'update_execution_status get_provider_context get_bootstrap_context get_resource_from_manager '
                        'get_resource download_resource download_resource_from_manager get_resource_directory_index '
                        'DirtyTrackingDict',
    'cloudify.utils': 'exception_to_error_cause get_tenant_name get_tenant LocalCommandRunner CommandExecutionResponse '
                      'id_generator internal ENV_CFY_EXEC_TEMPDIR CFY_EXEC_TEMPDIR_ENVVAR _get_current_context '
                      'setup_logger setup_default_logger get_exec_tempdir create_temp_folder OutputConsumer '
                      'get_manager_rest_service_host get_manager_ip get_manager_rest_service_port '
                      'get_manager_rest_service_protocol get_manager_file_server_url get_manager_file_server_scheme '
                      'get_manager_file_server_root get_local_rest_certificate get_broker_ssl_cert_path '
                      'get_daemon_name get_manager_name get_rest_token get_execution_token get_execution_id '
                      'get_execution_creator_username get_is_bypass_maintenance get_workflow_parameters '
                      'get_local_resources_root get_kerberos_indication get_instances_of_node ENV_AGENT_LOG_LEVEL '
                      'ENV_AGENT_LOG_DIR ENV_AGENT_LOG_MAX_BYTES ENV_AGENT_LOG_MAX_HISTORY get_func ManagerVersion '
                      'extract_archive unzip untar plugin_prefix target_plugin_prefix get_python_path '
                      'get_executable_path parse_utc_datetime parse_utc_datetime_relative '
                      'parse_schedule_datetime_string generate_user_password get_admin_api_token '
                      'is_management_environment wait_for keep_trying_http uuid4 format_exception ipv6_url_compat '
                      'nullcontext extract_and_merge_plugins add_plugins_to_install',
    'cloudify.constants': 'NODE_INSTANCE RELATIONSHIP_INSTANCE DEPLOYMENT COMPUTE_NODE_TYPE CLUSTER_SETTINGS_PATH_KEY '
                          'BROKER_PORT_SSL BROKER_PORT_NO_SSL MGMTWORKER_QUEUE AGENT_INSTALL_METHODS '
                          'AGENT_INSTALL_METHODS_SCRIPTS AGENT_INSTALL_METHODS_INSTALLED CLOUDIFY_EXECUTION_TOKEN_HEADER '
                          'CLOUDIFY_AUTHENTICATION_HEADER CLOUDIFY_TOKEN_AUTHENTICATION_HEADER COMPONENT '
                          'SHARED_RESOURCE NAMESPACE_BLUEPRINT_IMPORT_DELIMITER CONVENTION_APPLICATION_BLUEPRINT_FILE '
                          'DEFAULT_NETWORK_NAME SUPPORTED_ARCHIVE_TYPES FILE_SERVER_RESOURCES_FOLDER '
                          'LOCAL_RESOURCES_ROOT_ENV_KEY TASK_PENDING TERMINATED_STATES INSPECT_TIMEOUT '
                          'KEEP_TRYING_HTTP_TOTAL_TIMEOUT_SEC MAX_WAIT_BETWEEN_HTTP_RETRIES_SEC',
    'cloudify.models_states': 'DeploymentModificationState SnapshotState LogBundleState ExecutionState DeploymentState '
                              'VisibilityState AgentState PluginInstallationState BlueprintUploadState',
    'cloudify.cluster_status': 'ServiceStatus NodeServiceStatus CloudifyNodeType',
    'cloudify.compute': 'create_multi_mimetype_userdata',
    'cloudify.conflict_handlers': 'simple_merge_handler',
    'cloudify.logs': 'init_cloudify_logger CloudifyPluginLoggingHandler CloudifyWorkflowLoggingHandler '
                     'CloudifyWorkflowNodeLoggingHandler CloudifyCtxLoggingHandler send_workflow_event '
                     'send_workflow_node_event send_plugin_event send_task_event stdout_event_out stdout_log_out '
                     'manager_event_out manager_log_out setup_subprocess_logger',
    'cloudify.endpoint': 'Endpoint ManagerEndpoint LocalEndpoint',
    'cloudify.dispatch': 'dispatch main', 'cloudify.cluster': 'CloudifyClusterClient', 'cloudify.event': 'Event',
    'cloudify.deployment_dependencies': 'create_deployment_dependency dependency_creator_generator',
    'cloudify.cryptography_utils': 'encrypt decrypt', 'cloudify.agent_utils': 'create_agent_record update_agent_record',
    'cloudify._compat': 'PY2 text_type StringIO urlparse urlencode urljoin urlquote parse_qs queue builtins reraise '
                        'pathname2url',
    'cloudify.broker_config': 'broker_hostname broker_port',
    'cloudify.mocks': 'MockCloudifyContext MockNodeInstanceContext MockNodeContext MockContext MockRelationshipContext '
                      'MockRelationshipSubjectContext',
    'cloudify.test_utils': 'workflow_test', 'cloudify.test_utils.dispatch_helper': 'run',
    'cloudify.proxy.client': 'CTX_SOCKET_URL ScriptException RequestError client_req main',
    'cloudify.proxy.server': 'HTTPCtxProxy StubCtxProxy CtxProxy process_ctx_request PathDictAccess get_unused_port',
    'cloudify.ctx_wrappers': '__file__',
    'script_runner.tasks': 'run execute_workflow process_execution execute eval_script get_run_script_func '
                           'create_process_config download_resource treat_script_as_python_script start_ctx_proxy '
                           '_get_process_environment process_ctx_request POLL_LOOP_INTERVAL POLL_LOOP_LOG_ITERATIONS '
                           'ILLEGAL_CTX_OPERATION_ERROR UNSUPPORTED_SCRIPT_FEATURE_ERROR ProcessException '
                           'DEFAULT_TASK_LOG_DIR IS_WINDOWS',
    'script_runner.constants': 'PYTHON_SCRIPT_FILE_EXTENSION POWERSHELL_SCRIPT_FILE_EXTENSION '
                               'DEFAULT_POWERSHELL_EXECUTABLE',
    'script_runner.eval_env': 'setup_env_and_exec',
    'proxy_tools': 'Proxy proxy',
    'cloudify.workflows': 'ctx parameters api',
    'cloudify.workflows.workflow_api': 'EXECUTION_CANCELLED_RESULT has_cancel_request has_kill_request '
                                       'set_cancel_request set_kill_request cancel_request kill_request '
                                       'cancel_callbacks kill_callbacks ExecutionCancelled',
    'cloudify.workflows.workflow_context': 'CloudifyWorkflowContext CloudifyWorkflowNode CloudifyWorkflowNodeInstance '
                                           'CloudifyWorkflowRelationshipInstance CloudifyWorkflowRelationship '
                                           'Modification task_config DEFAULT_LOCAL_TASK_THREAD_POOL_SIZE',
    'cloudify.workflows.tasks': 'INFINITE_TOTAL_RETRIES DEFAULT_TOTAL_RETRIES DEFAULT_RETRY_INTERVAL '
                                'DEFAULT_SUBGRAPH_TOTAL_RETRIES DEFAULT_SEND_TASK_EVENTS DISPATCH_TASK TASK_PENDING '
                                'TASK_SENDING TASK_SENT TASK_STARTED TASK_RESCHEDULED TASK_RESPONSE_SENT '
                                'TASK_SUCCEEDED TASK_FAILED TERMINATED_STATES WorkflowTask RemoteWorkflowTask '
                                'LocalWorkflowTask NOPLocalWorkflowTask DryRunLocalWorkflowTask '
                                'SetNodeInstanceStateTask GetNodeInstanceStateTask SendNodeEventTask '
                                'SendWorkflowEventTask UpdateExecutionStatusTask WorkflowTaskResult HandlerResult',
    'cloudify.workflows.tasks_graph': 'TaskDependencyGraph SubgraphTask TaskSequence forkjoin make_or_get_graph',
    'cloudify.workflows.events': 'get_event_type format_event_message send_task_event',
    'cloudify.workflows.local': 'init_env load_env InMemoryStorage FileStorage StorageConflictError',
    'cloudify.plugins.lifecycle': 'install_node_instances uninstall_node_instances reinstall_node_instances '
                                  'heal_node_instances update_node_instances rollback_node_instances '
                                  'execute_establish_relationships execute_unlink_relationships LifecycleProcessor '
                                  'install_node_instance_subgraph uninstall_node_instance_subgraph '
                                  'rollback_node_instance_subgraph reinstall_node_instance_subgraph '
                                  'heal_node_instance_subgraph update_node_instance_subgraph '
                                  'set_send_node_event_on_error_handler ignore_subgraph_on_task_failure is_host_node '
                                  'prepare_running_agent plugins_install_task plugins_uninstall_task',
    'cloudify.plugins.workflows': 'install uninstall reinstall start stop restart execute_operation scale scale_entity '
                                  'auto_heal_reinstall_node_subgraph install_new_agents validate_agents check_status '
                                  'check_drift heal update rollback pull',
    'cloudify_types.polling': 'poll_with_timeout wait_for_blueprint_to_upload',
    'cloudify_types.utils': 'errors_nonrecoverable get_client get_desired_operation_input get_deployment_by_id '
                            'current_deployment_id',
    'cloudify_types.constants': 'EXTERNAL_RESOURCE POLLING_INTERVAL EXECUTIONS_TIMEOUT DEPLOYMENTS_TIMEOUT '
                                'PAGINATION_SIZE DEPLOYMENTS_CREATE_RETRIES CAPABILITIES SHARED_RESOURCE_TYPE '
                                'WORKFLOW_EXECUTION_TIMEOUT',
    'cloudify_types.component.operations': 'upload_blueprint create execute_start delete refresh check_drift '
                                           'check_status heal update',
    'cloudify_types.component.polling': 'redirect_logs is_all_executions_finished is_deployment_execution_at_state '
                                        'verify_execution_state poll_with_timeout',
    'cloudify_types.component.utils': 'no_rerun_on_resume populate_runtime_with_wf_results',
    'cloudify_types.shared_resource.operations': 'connect_deployment disconnect_deployment execute_workflow refresh '
                                                 'check_drift check_status',
    'cloudify_types.shared_resource.execute_shared_resource_workflow':
        '_get_target_shared_resource_client execute_shared_resource_workflow execute_workflow_base',
    'cloudify_types.shared_resource.constants': 'WORKFLOW_EXECUTION_TIMEOUT SHARED_RESOURCE_TYPE',
    'cloudify_types.blueprint.operations': 'upload delete',
    'cloudify_types.password_secret.operations': 'create delete creation_validation',
    'mgmtworker.cloudify_types.component.polling': 'is_all_executions_finished verify_execution_state',
    'mgmtworker.cloudify_types.polling': 'poll_with_timeout',
    'mgmtworker.cloudify_types.shared_resource.constants': 'WORKFLOW_EXECUTION_TIMEOUT',
}


class Names(unittest.TestCase):
    def test_every_name_is_there(self):
        missing = []
        for module, names in NAMES.items():
            loaded = importlib.import_module(module)
            missing += ['{0}.{1}'.format(module, name) for name in names.split() if not hasattr(loaded, name)]
        self.assertEqual(missing, [])

    def test_the_other_name_of_the_types_is_of_the_same_modules(self):
        import cloudify_types.component.polling as own
        import mgmtworker.cloudify_types.component.polling as other
        self.assertIs(own, other)
        self.assertEqual((own.__name__, own.__spec__.name), ('cloudify_types.component.polling',) * 2)

    def test_importing_starts_nothing_and_loads_little(self):
        """The parent of warm operations imports all this once, and forks."""
        code = '''
import sys, threading, _socket
def no(*_, **__): raise AssertionError('a connection while importing')
import socket
socket.socket.connect = no
import cloudify, cloudify.context, cloudify.decorators, cloudify.dispatch, cloudify.exceptions, cloudify.manager
import cloudify.state, cloudify.utils, cloudify.constants, cloudify.logs, script_runner.tasks, cloudify.workflows
assert threading.active_count() == 1
heavy = ['jinja2', 'requests', 'http.client', 'ssl', 'asyncio', 'tarfile', 'zipfile', 'subprocess',
    'cloudify_rest_client', 'cloudify.mocks', 'cloudify.workflows.tasks', 'cloudify.plugins', 'cloudify_types']
if sys.version_info < (3, 9): heavy.remove('subprocess')  # imported by its own platform module
print(*[name for name in heavy if name in sys.modules])'''
        done = subprocess.run([sys.executable, '-S', '-c', code], cwd=ROOT, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, universal_newlines=True)
        self.assertEqual((done.stdout.strip(), done.stderr), ('', ''))

    def test_the_oldest_python_can_read_it(self):
        for package in ('cloudify', 'script_runner', 'proxy_tools', 'cloudify_types', 'mgmtworker', 'bin'):
            for folder, _, files in os.walk(os.path.join(ROOT, package)):
                for name in files:
                    if name.endswith('.py'):
                        path = os.path.join(folder, name)
                        with self.subTest(path), open(path, encoding='utf-8') as source:
                            text = source.read()
                            ast.parse(text, path, feature_version=(3, 8))
                            for newer in ('removeprefix(', 'removesuffix(', 'functools.cache\n', 'list[', 'dict[str'):
                                self.assertNotIn(newer, text)

    def test_public_functions_have_annotations(self):
        import inspect
        bare = []
        for module, names in NAMES.items():
            loaded = importlib.import_module(module)
            for name in names.split():
                found = getattr(loaded, name)
                if inspect.isfunction(found) and found.__module__.startswith(('cloudify.', 'script_runner.')):
                    signature = inspect.signature(found)
                    bare += ['{0}.{1}({2})'.format(module, name, one.name) for one in signature.parameters.values()
                             if one.annotation is one.empty and '.dispatch' not in module and '.proxy' not in module
                             and found.__name__ not in ('download_resource', 'main')]
        self.assertEqual(bare, [])

    def test_what_is_not_there_says_what_to_use(self):
        from cloudify import cryptography_utils, utils
        from cloudify.exceptions import NonRecoverableError
        from cloudify_types.component import operations
        for call in (cryptography_utils.encrypt, operations.create, lambda: utils.add_plugins_to_install(None, [], None)):
            with self.assertRaises(NonRecoverableError) as raised:
                call()
            self.assertGreater(len(str(raised.exception)), 60)
