import type { PluginState } from '@tutti/api'
import type { ColumnType, Generated } from 'kysely'

export type { PluginState } from '@tutti/api'

/** A `json` column: read as a value, written as text (pg would turn a JavaScript array into a PostgreSQL one). */
export type JsonColumn<T = unknown> = ColumnType<T, string, string>
type JsonWithDefault<T = unknown> = ColumnType<T, string | undefined, string>
type NullableJson = ColumnType<unknown, string | null | undefined, string | Uint8Array | null>
type Timestamp = ColumnType<Date, Date | string, Date | string>
type DefaultTimestamp = ColumnType<Date, Date | string | undefined, Date | string>
type NullableTimestamp = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>

export type Visibility = 'private' | 'tenant' | 'global'

/** How far an installation has come: `done` of `total` steps, and what is being done. */
export type PluginProgress = { readonly done: number; readonly total: number; readonly message: string }

type Owned = {
  visibility: Generated<Visibility>
  created_by: string
  created_at: DefaultTimestamp
}

export type Schema = {
  tenants: { id: Generated<number>; name: string; created_at: DefaultTimestamp }
  users: {
    id: Generated<number>
    username: string
    password_hash: string | null
    role: Generated<string>
    first_name: string | null
    last_name: string | null
    email: string | null
    active: Generated<boolean>
    failed_logins: Generated<number>
    last_failed_login_at: NullableTimestamp
    first_login_at: NullableTimestamp
    last_login_at: NullableTimestamp
    show_getting_started: Generated<boolean>
    created_at: DefaultTimestamp
  }
  user_tenants: { tenant_id: number; user_id: number; role: string }
  user_groups: {
    id: Generated<number>
    name: string
    ldap_dn: string | null
    role: Generated<string>
    created_at: DefaultTimestamp
  }
  user_group_members: { group_id: number; user_id: number }
  tenant_groups: { tenant_id: number; group_id: number; role: string }
  /** A view: a user's roles in tenants, directly (no group) and through groups. */
  tenant_roles: { tenant_id: number; user_id: number; role: string; group_id: number | null }
  ldap: {
    is_only: Generated<boolean>
    settings: JsonColumn
    sealed_password: string | null
    updated_at: DefaultTimestamp
  }
  role_permissions: { role: string; permission: string; is_granted: boolean }
  tokens: {
    id: string
    user_id: number
    secret_hash: string
    description: string | null
    expiration_date: NullableTimestamp
    last_used: NullableTimestamp
    created_at: DefaultTimestamp
  }
  archives: { sha256: string; size: number; created_at: DefaultTimestamp }
  deployment_folders: { tenant_id: number; deployment_id: string; sha256: string; version: Generated<string> }
  installation: { id: Generated<string>; is_only: Generated<boolean> }
  archive_chunks: { sha256: string; chunk_index: number; data: Uint8Array }
  blueprints: Owned & {
    tenant_id: number
    id: string
    description: string | null
    main_file_name: string | null
    plan: ColumnType<unknown, string | null | undefined, string | Uint8Array | null>
    plan_parts: ColumnType<string | null, string | null | undefined, string | Uint8Array | null>
    requirements: ColumnType<unknown, string | null | undefined, string | null>
    imported_blueprints: Generated<string[]>
    /** `NAME VERSION` of those that the plan uses. */
    plugin_packages: Generated<string[]>
    state: string
    error: string | null
    error_traceback: string | null
    is_hidden: Generated<boolean>
    archive_sha256: string | null
    archive_extension: string | null
    upload_execution_id: string | null
    updated_at: NullableTimestamp
  }
  blueprint_labels: LabelRow & { blueprint_id: string }
  plugins: Owned & {
    tenant_id: number
    id: string
    title: string
    package_name: string
    package_version: string
    package_source: string | null
    /** File name of the wagon. */
    archive_name: string
    supported_platform: string | null
    distribution: string | null
    distribution_version: string | null
    distribution_release: string | null
    supported_py_versions: JsonWithDefault<readonly string[]>
    wheels: JsonWithDefault<readonly string[]>
    excluded_wheels: JsonWithDefault<readonly string[]>
    blueprint_labels: JsonWithDefault<Readonly<Record<string, readonly string[]>>>
    labels: JsonWithDefault<Readonly<Record<string, readonly string[]>>>
    resource_tags: JsonWithDefault<Readonly<Record<string, unknown>>>
    /** Of the wagon itself. */
    archive_sha256: string
  }
  /** The YAML files and the icon that came with a plugin. */
  plugin_files: {
    tenant_id: number
    plugin_id: string
    name: string
    content: Uint8Array
    /** Made at the upload, for older blueprints. */
    is_derived: Generated<boolean>
  }
  plugin_states: {
    tenant_id: number
    plugin_id: string
    /** Hostname of a manager's or worker's machine; either this or the agent. */
    manager: string | null
    agent_tenant_id: number | null
    agent: string | null
    state: PluginState
    error: string | null
    progress: ColumnType<PluginProgress | null, string | null | undefined, string | null>
    updated_at: DefaultTimestamp
  }
  deployments: Owned & {
    tenant_id: number
    id: string
    blueprint_tenant_id: number
    blueprint_id: string
    display_name: string
    description: string | null
    inputs: JsonWithDefault
    outputs: JsonWithDefault
    capabilities: JsonWithDefault
    groups: JsonWithDefault
    scaling_groups: JsonWithDefault
    policy_types: JsonWithDefault
    policy_triggers: JsonWithDefault
    workflows: JsonWithDefault
    resource_tags: JsonWithDefault
    runtime_only_evaluation: Generated<boolean>
    /** Of the site's own tenant; both or neither. */
    site_tenant_id: number | null
    site_name: string | null
    installation_status: string | null
    deployment_status: Generated<string>
    create_execution_id: string | null
    latest_execution_id: string | null
    updated_at: NullableTimestamp
  }
  deployment_workdirs: { tenant_id: number; deployment_id: string; archive_sha256: string }
  deployment_filters: FilterRow
  blueprint_filters: FilterRow
  encryption: { is_only: Generated<boolean>; fingerprint: string }
  secrets_providers: Owned & {
    tenant_id: number
    name: string
    type: string
    /** Sealed. */
    connection_parameters: string | null
    updated_at: DefaultTimestamp
  }
  secrets: Owned & {
    tenant_id: number
    key: string
    /** Sealed. */
    value: string
    is_hidden_value: Generated<boolean>
    schema: ColumnType<unknown, string | null | undefined, string | null>
    /** Of the provider's own tenant; both or neither. */
    provider_tenant_id: number | null
    provider_name: string | null
    provider_options: ColumnType<unknown, string | null | undefined, string | null>
    updated_at: DefaultTimestamp
  }
  sites: Owned & {
    tenant_id: number
    name: string
    latitude: number | null
    longitude: number | null
  }
  deployment_labels: LabelRow & { deployment_id: string }
  deployment_groups: Owned & {
    tenant_id: number
    id: string
    description: string | null
    default_blueprint_tenant_id: number | null
    default_blueprint_id: string | null
    default_inputs: JsonWithDefault<Record<string, unknown>>
    /** Deployments that were created through the group so far. */
    creation_counter: Generated<number>
  }
  deployment_group_members: { tenant_id: number; deployment_group_id: string; deployment_id: string }
  deployment_group_labels: LabelRow & { deployment_group_id: string }
  execution_groups: Owned & {
    tenant_id: number
    id: string
    deployment_group_id: string | null
    workflow_id: string
    /** Members that may be active at once; 0 pauses the group. */
    concurrency: number
    success_group_id: string | null
    failure_group_id: string | null
  }
  environment_changes: { id: Generated<number>; tenant_id: number; deployment_id: string }
  environment_members: {
    tenant_id: number
    environment_id: string
    member_id: string
    services: string
    environments: string
    services_rank: number
    environments_rank: number
  }
  environments: {
    tenant_id: number
    id: string
    services: string
    environments: string
    services_in_progress: string
    services_requiring_attention: string
    environments_in_progress: string
    environments_requiring_attention: string
  }
  inter_deployment_dependencies: Owned & {
    tenant_id: number
    id: string
    dependency_creator: string
    source_deployment_id: string | null
    target_deployment_id: string | null
    /** A target that is not there, or not for its creator to see. */
    awaited_target_id: string | null
    target_deployment_func: ColumnType<unknown, string | null | undefined, string | null>
    external_source: ColumnType<unknown, string | null | undefined, string | null>
    external_target: ColumnType<unknown, string | null | undefined, string | null>
  }
  nodes: Owned & {
    tenant_id: number
    deployment_id: string
    id: string
    position: number
    type: string
    type_hierarchy: JsonColumn<string[]>
    host_id: string | null
    properties: JsonColumn
    operations: JsonColumn
    plugins: JsonColumn
    plugins_to_install: ColumnType<unknown, string | null | undefined, string | null>
    relationships: JsonColumn
    number_of_instances: number
    planned_number_of_instances: number
    deploy_number_of_instances: number
    min_number_of_instances: number
    max_number_of_instances: number
  }
  node_instances: Owned & {
    tenant_id: number
    id: string
    deployment_id: string
    node_id: string
    host_id: string | null
    instance_index: number
    state: Generated<string>
    version: Generated<number>
    runtime_properties: JsonWithDefault<Record<string, unknown>>
    system_properties: JsonWithDefault<Record<string, unknown>>
    relationships: JsonWithDefault
    scaling_groups: JsonWithDefault
    has_configuration_drift: Generated<boolean>
    is_status_check_ok: Generated<boolean>
  }
  deployment_modifications: {
    tenant_id: number
    id: string
    deployment_id: string
    /** Whose action began it; null for one that was begun over REST. */
    execution_id: string | null
    status: Generated<'started' | 'finished' | 'rolledback'>
    modified_nodes: JsonColumn
    node_instances: JsonColumn
    context: ColumnType<unknown, string | null | undefined, string | null>
    created_by: string
    created_at: DefaultTimestamp
    ended_at: NullableTimestamp
  }
  deployment_updates: {
    tenant_id: number
    id: string
    deployment_id: string
    state: Generated<string>
    preview: Generated<boolean>
    old_blueprint_id: string | null
    new_blueprint_id: string | null
    new_blueprint_tenant_id: ColumnType<number | null, number | null | undefined, number | null>
    old_inputs: JsonWithDefault
    new_inputs: JsonWithDefault
    runtime_only_evaluation: Generated<boolean>
    options: JsonWithDefault
    execution_id: ColumnType<string | null, string | null | undefined, string | null>
    steps: JsonWithDefault
    /** Shared text with `deployment_plan_parts`. */
    deployment_plan: NullableJson
    deployment_plan_parts: ColumnType<string | null, string | null | undefined, string | Uint8Array | null>
    deployment_update_deployment: NullableJson
    deployment_update_nodes: NullableJson
    deployment_update_node_instances: NullableJson
    modified_entity_ids: NullableJson
    central_plugins_to_install: JsonWithDefault
    central_plugins_to_uninstall: JsonWithDefault
    recursive_dependencies: NullableJson
    schedules_to_create: NullableJson
    schedules_to_delete: NullableJson
    labels_to_create: NullableJson
    /** What happens to each instance that stays. */
    instance_changes: NullableJson
    /** What the workflow is to do; null until the update is prepared. */
    run: NullableJson
    /** What the deployment was when the update was prepared. */
    plan_of: ColumnType<string | null, string | null | undefined, string | null>
    applied_at: NullableTimestamp
    created_by: string
    created_at: DefaultTimestamp
  }
  agents: Owned & {
    tenant_id: number
    id: string
    node_instance_id: string
    ip: string | null
    install_method: string | null
    system: string | null
    version: string | null
    state: string
    rabbitmq_username: string | null
    /** Sealed. */
    rabbitmq_password: string | null
    rabbitmq_exchange: string | null
    updated_at: NullableTimestamp
  }
  executions: Owned & {
    tenant_id: number
    id: string
    workflow_id: string
    deployment_id: string | null
    deployment_display_name: string | null
    blueprint_id: string | null
    status: string
    error: Generated<string>
    parameters: JsonWithDefault<Record<string, unknown>>
    is_system_workflow: Generated<boolean>
    is_dry_run: Generated<boolean>
    resume: Generated<boolean>
    /** How a worker is to prepare the stored graphs before it goes on; null once it has. */
    resume_mode: 'resume' | 'force-resume' | null
    allow_custom_parameters: Generated<boolean>
    force: Generated<boolean>
    /** It was queued: whoever starts it checks it again. */
    checks_at_start: Generated<boolean>
    /** seconds */
    wait_after_fail: Generated<number>
    total_operations: Generated<number>
    finished_operations: Generated<number>
    token_hash: string | null
    /** Of the request that started it. */
    request_id: Generated<string | null>
    started_at: NullableTimestamp
    ended_at: NullableTimestamp
    scheduled_for: NullableTimestamp
    lease_owner: string | null
    lease_expires_at: NullableTimestamp
    lease_fence: Generated<number>
    /** Steps of its graphs that are stored. */
    step: Generated<number>
    /** How far it has come in the phases of its workflow; null before the first is passed. */
    phase: ColumnType<unknown, string | null | undefined, string | null>
    execution_group_id: string | null
  }
  tasks_graphs: Owned & {
    tenant_id: number
    id: string
    execution_id: string
    name: string
    graph_state: JsonWithDefault
  }
  operations: Owned & {
    tenant_id: number
    id: string
    tasks_graph_id: string
    position: ColumnType<number, never, never>
    name: string
    type: string
    state: string
    dependencies: JsonWithDefault<string[]>
    parameters: JsonWithDefault<Record<string, unknown>>
    manager_name: string | null
    agent_name: string | null
  }
  event_batches: { tenant_id: number; id: string; stored_at: DefaultTimestamp }
  events: {
    tenant_id: number
    id: ColumnType<number, never, never>
    is_log: boolean
    timestamp: DefaultTimestamp
    reported_timestamp: Timestamp
    blueprint_id: string | null
    deployment_id: string | null
    deployment_display_name: string | null
    execution_id: string | null
    execution_group_id: string | null
    workflow_id: string | null
    node_id: string | null
    node_instance_id: string | null
    source_id: string | null
    target_id: string | null
    operation: string | null
    event_type: string | null
    level: string | null
    logger: string | null
    message: string
    error_causes: ColumnType<unknown, string | null | undefined, string | null>
    manager_name: string | null
    agent_name: string | null
    visibility: Generated<Visibility>
    created_by: string
  }
  config: {
    scope: string
    name: string
    value: JsonColumn
    updated_at: DefaultTimestamp
    updater_name: string
  }
  maintenance: {
    id: ColumnType<string, never, never>
    requested_by: string
    activation_requested_at: DefaultTimestamp
    activated_at: NullableTimestamp
  }
  audit_log: {
    id: Generated<number>
    ref_table: string
    ref_id: number | null
    ref_identifier: ColumnType<unknown, string | null | undefined, never>
    operation: string
    creator_name: string | null
    execution_id: string | null
    remote_address: string | null
    created_at: DefaultTimestamp
    xact: ColumnType<string, never, never>
  }
  provider_context: { id: string; name: string; context: JsonColumn }
  license: {
    id: ColumnType<string, never, never>
    customer_id: string
    expiration_date: NullableTimestamp
    license_edition: string | null
    trial: boolean
    cloudify_version: string | null
    capabilities: JsonColumn<string[]>
  }
  processes: {
    id: string
    hostname: string
    address: string
    roles: string[]
    version: string
    started_at: DefaultTimestamp
    last_seen: DefaultTimestamp
  }
  managers: {
    id: Generated<number>
    hostname: string
    private_ip: string
    public_ip: string
    version: string
    edition: string
    distribution: string
    distro_release: string
    fs_sync_node_id: string | null
    networks: JsonWithDefault<Record<string, unknown>>
    ca_cert_content: string | null
    last_seen: NullableTimestamp
    /** seconds */
    status_report_frequency: number | null
  }
  brokers: {
    name: string
    host: string
    port: number
    networks: JsonWithDefault<Record<string, unknown>>
    created_at: DefaultTimestamp
  }
}

type FilterRow = Owned & {
  tenant_id: number
  id: string
  value: JsonColumn
  is_system_filter: Generated<boolean>
  updated_at: DefaultTimestamp
}

type LabelRow = {
  tenant_id: number
  key: string
  value: string
  created_at: DefaultTimestamp
  created_by: string
}
