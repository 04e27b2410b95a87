/**
 * The errors whose message format clients rely on (docs/reference/rest-conventions.md, "Error messages";
 * docs/reference/access.md, "Credentials"). Model is the class name known on the wire: Blueprint, Deployment,
 * Execution, NodeInstance, …
 */
import { wireList } from '../values/wire-list.ts'
import { wireText } from '../values/wire-text.ts'
import { ApiError, type ApiErrorOptions } from './api-error.ts'

export type WireType = 'dict' | 'list' | 'str' | 'int' | 'float' | 'bool' | 'NoneType'

export const badParameter = (message: string, options: ApiErrorOptions = {}): ApiError =>
  new ApiError('bad_parameters_error', message, options)

/** `cfy` treats "not found" in the message of a delete as success: keep the words. */
export function notFound(
  model: string,
  id: string,
  filters?: Readonly<Record<string, unknown>>,
  options: ApiErrorOptions = {},
): ApiError {
  const suffix = filters === undefined ? '' : ` (filters: ${wireText(filters)})`
  return new ApiError(
    'not_found_error',
    `Requested \`${model}\` with ID \`${id}\` was not found${suffix}`,
    options,
  )
}

export const duplicate = (model: string, id: string, tenant: string, key = 'id'): ApiError =>
  new ApiError(
    'conflict_error',
    `<${model} ${key}=\`${id}\` tenant=\`${tenant}\`> already exists on <Tenant name=\`${tenant}\`> ` +
      'or with global visibility',
  )

/** A blueprint upload says it in its own words. */
export const duplicateBlueprint = (id: string, tenant: string): ApiError =>
  new ApiError(
    'conflict_error',
    `blueprint with id=${id} already exists on tenant ${tenant} or with global visibility`,
  )

export const globalClash = (model: string, id: string, tenant: string): ApiError =>
  new ApiError(
    'conflict_error',
    `Can't set or create the resource <${model} id=\`${id}\` tenant=\`${tenant}\`>, its visibility can't be ` +
      'global because it also exists in other tenants',
  )

export const missingBodyField = (field: string): ApiError =>
  badParameter(`Missing ${field} in json request body`)

export const wrongType = (field: string, expected: WireType, got: WireType): ApiError =>
  badParameter(`${field} parameter is expected to be of type ${expected} but is of type ${got}`)

export const notABoolean = (field: string, got: unknown): ApiError =>
  badParameter(`${field} must be <true/false>, got ${typeof got === 'string' ? got : wireText(got)}`)

export const unknownKeys = (
  kind: 'Include' | 'Sort' | 'Filter',
  unknown: readonly string[],
  allowed: readonly string[],
): ApiError =>
  new ApiError(
    kind === 'Include' ? 'no_such_include_field_error' : 'bad_parameters_error',
    `${kind} keys '${wireList(unknown)}' do not exist. Allowed keys are: ${wireList(allowed)}`,
  )

export const unavailableWorkflow = (workflowId: string, deploymentId: string, why: string): ApiError =>
  new ApiError(
    'unavailable_workflow_error',
    `Workflow ${workflowId} is not available for deployment ${deploymentId}: ${why}`,
    { hint: 'Pass force=true to run it all the same' },
  )

/** As events say it. */
export const unknownFilter = (unknown: readonly string[], allowed: readonly string[]): ApiError =>
  badParameter(`Unknown field to filter by: ${unknown.join(', ')}. Allowed values: ${wireList(allowed)}`)

/** `hint`: said where no tenant was named, whose roles would have counted too. */
export function forbidden(user: string, permission: string, tenant?: string, hint?: string): ApiError {
  const where = tenant === undefined ? '' : ` in the tenant \`${tenant}\``
  return new ApiError(
    'forbidden_error',
    `User \`${user}\` is not permitted to perform the action ${permission}${where}`,
    tenant === undefined && hint !== undefined ? { hint } : {},
  )
}

export const globalForbidden = (user: string): ApiError =>
  new ApiError('forbidden_error', `User \`${user}\` is not permitted to set or create a global resource`)

export const unknownTenant = (tenant: string): ApiError =>
  new ApiError(
    'forbidden_error',
    `Authorization failed: Tried to authenticate with invalid tenant name: ${tenant}`,
  )

export const tenantHint = 'Name the tenant in the header Tenant, for example Tenant: default_tenant'

export const tenantNotProvided = (): ApiError =>
  new ApiError('forbidden_error', 'Authorization failed: tenant not provided', { hint: tenantHint })

export const unauthorized = (detail: string): ApiError =>
  new ApiError('unauthorized_error', `User unauthorized: ${detail}`)

export const illegalAction = (message: string, options: ApiErrorOptions = {}): ApiError =>
  new ApiError('illegal_action_error', message, options)

export const foreignGlobal = (id: string, tenant: string): ApiError =>
  illegalAction(`Can't modify the global resource \`${id}\` from outside its tenant \`${tenant}\``)

export const emptyUpdate = (): ApiError =>
  illegalAction('Update a resource with an empty body is not allowed', {
    hint: 'Send at least one field to change',
  })

export const unsupportedContentType = (got: string | undefined): ApiError =>
  new ApiError(
    'unsupported_content_type_error',
    `Content type must be application/json, got ${got === undefined || got === '' ? 'none' : got}`,
  )

export const unknownRoute = (method: string, path: string): ApiError =>
  new ApiError('not_found_error', `There is no endpoint ${method} ${path}`)

export const methodNotAllowed = (method: string, path: string, allowed: readonly string[]): ApiError =>
  new ApiError('method_not_allowed_error', `${path} does not allow ${method}. Allowed: ${allowed.join(', ')}`)

export const notBuilt = (method: string, path: string): ApiError =>
  new ApiError(
    'not_implemented',
    `${method} ${path} is documented, but this release of Tutti has not built it yet`,
  )
