export { ApiError, type ApiErrorOptions, type ErrorBody } from './errors/api-error.ts'
export { type ErrorCode, errorCatalogue, isErrorCode } from './errors/catalogue.ts'
export * from './errors/messages.ts'
export { checkDisplayName, checkIdentifier, maxIdentifierLength } from './identifiers.ts'
export { defaultPermissions, type Permission, type Role } from './permissions/matrix.ts'
export { isPermitted } from './permissions/permit.ts'
export {
  roles,
  type SystemRole,
  systemRoleAliases,
  systemRoles,
  type TenantRole,
  tenantRoles,
} from './permissions/roles.ts'
export { parseBoolean } from './values/boolean.ts'
export { formatTimestamp, parseTimestamp } from './values/timestamp.ts'
export {
  checkGlobalAllowed,
  checkWidening,
  isVisibility,
  isWider,
  parseCreateVisibility,
  parseSetVisibility,
  type Visibility,
  visibilities,
} from './visibility.ts'
