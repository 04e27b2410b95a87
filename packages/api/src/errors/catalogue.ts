/**
 * Every error that the manager answers: its HTTP status and when it is given (docs/reference/rest-conventions.md,
 * "Errors"). Clients choose their exception class by `error_code`, so codes are kept as they are known on the wire,
 * misspellings included.
 */
export const errorCatalogue = {
  internal_server_error: { status: 500, when: 'an error of the manager itself' },
  not_implemented: { status: 501, when: 'a documented part of the API that this release has not built yet' },

  bad_parameters_error: {
    status: 400,
    when: 'a missing, ill-typed or invalid field, key, id, label or query value',
  },
  no_such_include_field_error: {
    status: 400,
    when: '_include names a field that the resource does not have',
  },
  validation_error: { status: 422, when: 'a parameter of the audit log is missing or invalid' },
  unsupported_content_type_error: { status: 415, when: 'a JSON endpoint got another content type' },
  invalid_filter_rule: { status: 400, when: 'a filter rule is not in the right format' },
  unknown_action: { status: 400, when: 'the action of a POST is not one that the resource has' },
  illegal_action_error: { status: 400, when: 'the resource is in a state that forbids the action' },
  invalid_yaml_format: { status: 400, when: 'a YAML document does not parse' },

  unauthorized_error: { status: 401, when: 'no, wrong or expired credentials' },
  forbidden_error: { status: 403, when: 'no permission, no tenant or an unknown tenant' },
  forbidden_while_cancelling: { status: 403, when: 'a cancelling execution may not start anything' },
  only_deployment_update: { status: 403, when: 'only a deployment update may do this' },

  not_found_error: { status: 404, when: 'the resource does not exist or may not be seen' },
  deployment_parent_not_found_error: {
    status: 404,
    when: 'the target of a csys-obj-parent label does not exist',
  },
  imported_blueprint_not_found: { status: 404, when: 'the plan imports a blueprint that does not exist' },
  missing_premium_package_error: { status: 404, when: 'the endpoint belongs to another edition' },
  community_only_error: { status: 404, when: 'the endpoint belongs to the community edition' },
  method_not_allowed_error: { status: 405, when: 'the path exists, but not with this method' },

  conflict_error: { status: 409, when: 'duplicate id, clash of versions, cyclic dependency or wrong state' },
  ambiguous_name: { status: 409, when: 'several resources match a name that must be unique' },
  storage_error: { status: 409, when: 'the database refused the write' },

  dependent_exists_error: { status: 400, when: 'other resources still depend on this one' },
  blueprint_in_use: { status: 405, when: 'another blueprint imports this one' },
  invalid_blueprint_error: {
    status: 400,
    when: 'the blueprint is invalid, failed to upload or is still uploading',
  },

  deployment_creation_error: { status: 400, when: 'the deployment could not be created' },
  deployment_environment_creation_in_progress_error: {
    status: 400,
    when: 'the deployment is still being created; try again',
  },
  deployment_environment_creation_pending_error: {
    status: 400,
    when: 'the creation of the deployment waits to start; try again',
  },
  missing_required_deployment_input_error: { status: 400, when: 'a required input has no value' },
  unknown_deployment_input_error: { status: 400, when: 'an input is not declared by the blueprint' },
  unknown_deployment_secret_error: { status: 400, when: 'a secret that the blueprint needs does not exist' },
  unsupported_deployment_get_secret_error: { status: 400, when: 'get_secret is used where it cannot be' },
  deployment_plugin_not_found: { status: 400, when: 'a plugin that the blueprint needs is not installed' },
  deployment_outputs_evaluation_error: { status: 400, when: 'the outputs cannot be evaluated' },
  deployment_capabilities_evaluation_error: { status: 400, when: 'the capabilities cannot be evaluated' },
  functions_evaluation_error: { status: 400, when: 'an intrinsic function cannot be evaluated' },
  existing_started_deployment_modification_error: { status: 400, when: 'a modification is already started' },
  deployment_modification_already_ended_error: { status: 400, when: 'the modification has already ended' },

  nonexistent_workflow_error: { status: 400, when: 'the deployment has no such workflow' },
  unavailable_workflow_error: { status: 400, when: 'the workflow is not available in the present state' },
  illegal_execution_parameters_error: { status: 400, when: 'the parameters do not fit the workflow' },
  existing_running_execution_error: { status: 400, when: 'another execution runs and none was to be queued' },
  invalid_exception_status_update: { status: 400, when: 'the execution may not change to this status' },

  invalid_plugin_error: { status: 400, when: 'the archive is not a plugin' },
  plugin_in_use: { status: 405, when: 'a blueprint uses the plugin' },
  plugins_update_failed: { status: 400, when: 'the plugins update cannot be done' },
  snapshot_action_error: { status: 400, when: 'the snapshot does not allow the action' },
  log_bundle_action_error: { status: 400, when: 'the log bundle does not allow the action' },

  missing_cloudify_license: { status: 400, when: 'no license is installed' },
  expired_cloudify_license: { status: 400, when: 'the license has expired' },
  unverified_cloudify_license: { status: 400, when: 'the signature of the license does not fit' },

  invalid_fernet_token_format_error: { status: 500, when: 'an encrypted value cannot be read' },
  not_running_ldap_server: { status: 500, when: 'the LDAP server does not answer' },

  secrets_provider_error: {
    status: 400,
    when: 'a secrets provider is described wrongly, refuses the manager, or has no such value',
  },
  // No 502 or 503: clients of several managers take those for a manager that is down, and go to another.
  secrets_provider_unavailable_error: { status: 424, when: 'a secrets provider does not answer now' },

  database_unavailable_error: {
    status: 503,
    when: 'the database does not answer now; send the request again',
  },
  insufficient_storage_error: { status: 507, when: 'the disk of the manager or of its database is full' },
  maintenance_mode_active: { status: 503, when: 'the manager is in maintenance mode' },
  entering_maintenance_mode: { status: 503, when: 'the manager is about to enter maintenance mode' },
  too_many_requests_error: {
    status: 429,
    when: 'too many requests of the same kind wait, or too many wrong passwords were sent; wait as long as Retry-After says',
  },
  insufficient_memory_error: { status: 503, when: 'the manager has too little memory for the request' },
  in_snapshot_restore_error: { status: 503, when: 'a snapshot is being restored' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly when: string }>>

export type ErrorCode = keyof typeof errorCatalogue

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(errorCatalogue, code)
