import './exact-json.ts'

export { parseSettingValue } from './configuration/parse-value.ts'
export * from './configuration/settings.ts'
export { ApiError, type ApiErrorOptions, type ErrorBody } from './errors/api-error.ts'
export { type ErrorCode, errorCatalogue, isErrorCode } from './errors/catalogue.ts'
export * from './errors/messages.ts'
export {
  type EventKind,
  type EventSelection,
  type EventVocabulary,
  eventTypeName,
  parseEventTypes,
} from './events/vocabulary.ts'
export { type Constraints, parseConstraints } from './filters/constraints.ts'
export {
  type AttributeOperator,
  attributeOperators,
  type FilteredResource,
  type FilterRule,
  filterAttributes,
  type LabelOperator,
  labelOperators,
  parseFilterRules,
  type SearchedResource,
} from './filters/filter-rule.ts'
export { systemFilters } from './filters/system-filters.ts'
export { checkDisplayName, checkIdentifier, maxIdentifierLength } from './identifiers.ts'
export {
  checkLabel,
  checkLabelKey,
  type DatedLabel,
  type LabelPair,
  parseDatedLabels,
  parseLabels,
  parseLabelsText,
  reservedLabelKeys,
} from './labels.ts'
export type { FieldFilter } from './list/field-filters.ts'
export {
  type FieldKind,
  type FieldTable,
  type FieldTableOptions,
  fieldTable,
  type Sort,
  scalarFields,
} from './list/field-table.ts'
export { includedNames, parseInclude, pickIncluded } from './list/include.ts'
export { ItemAnswer } from './list/item-answer.ts'
export { type JsonItems, ListAnswer, type Reading, type ReadingPlace } from './list/list-answer.ts'
export { type ListQuery, type ListQueryOptions, parseListQuery } from './list/list-query.ts'
export { defaultMaxResults, type Page, parsePage } from './list/pagination.ts'
export { allValues, firstValue, type QueryValues } from './list/query-value.ts'
export type { Range } from './list/range.ts'
export { openapi } from './openapi.ts'
export { defaultPermissions, managerPermissions, type Permission, type Role } from './permissions/matrix.ts'
export { isPermitted, type PermissionTable } from './permissions/permit.ts'
export {
  parseSystemRole,
  parseTenantRole,
  roles,
  type SystemRole,
  systemRoles,
  type TenantRole,
  tenantRoles,
} from './permissions/roles.ts'
export { BlueprintPatch, BlueprintUpload, SetVisibility } from './routes/blueprints.ts'
export { DependencyCreate, DescribedDependency } from './routes/dependencies.ts'
export {
  DeploymentGroupAddition,
  DeploymentGroupPut,
  DeploymentSelection,
} from './routes/deployment-groups.ts'
export { DeploymentCreate, DeploymentPatch, setByCreation } from './routes/deployments.ts'
export { FunctionsEvaluation } from './routes/evaluation.ts'
export { ExecutionGroupStart } from './routes/execution-groups.ts'
export { ExecutionStart } from './routes/executions.ts'
export { FilterCreate, FilterPatch } from './routes/filters.ts'
export { NewNodeInstance, NodeInstancePatch } from './routes/node-instances.ts'
export { NewNode, NodePatch } from './routes/nodes.ts'
export { PluginUpload } from './routes/plugins.ts'
export { type ApiVersion, apiVersions, hasRoute, type Route, tokenCookie } from './routes/route.ts'
export { Search } from './routes/searches.ts'
export { SecretCreate, SecretPatch, SecretsImportBody } from './routes/secrets.ts'
export { SecretsProviderPatch, SecretsProviderPut } from './routes/secrets-providers.ts'
export { SiteCreate, SiteUpdate } from './routes/sites.ts'
export { type SummarisedResource, summaryFields } from './routes/summaries.ts'
export {
  builtRoutes,
  type ListRouteName,
  type QueriedRouteName,
  type RouteBody,
  type RouteItem,
  type RouteName,
  type RouteParams,
  type RouteQuery,
  type RouteResponse,
  routes,
} from './routes/table.ts'
export * from './shapes/access.ts'
export * from './shapes/agent.ts'
export * from './shapes/audit.ts'
export * from './shapes/blueprint.ts'
export * from './shapes/cluster.ts'
export * from './shapes/common.ts'
export * from './shapes/dependency.ts'
export * from './shapes/deployment.ts'
export * from './shapes/deployment-group.ts'
export * from './shapes/deployment-update.ts'
export * from './shapes/event.ts'
export * from './shapes/execution.ts'
export * from './shapes/execution-group.ts'
export * from './shapes/filter.ts'
export * from './shapes/label.ts'
export * from './shapes/ldap.ts'
export * from './shapes/license.ts'
export * from './shapes/manager.ts'
export * from './shapes/node.ts'
export * from './shapes/node-instance.ts'
export * from './shapes/operation.ts'
export * from './shapes/plugin.ts'
export * from './shapes/search.ts'
export * from './shapes/secret.ts'
export * from './shapes/site.ts'
export * from './shared-text.ts'
export { parseBoolean } from './values/boolean.ts'
export { type Location, parseLocation } from './values/location.ts'
export { parseBody, parseParameters } from './values/parse-object.ts'
export { formatTimestamp, parseTimestamp } from './values/timestamp.ts'
export { wireList } from './values/wire-list.ts'
export { wireTypeOf } from './values/wire-type.ts'
export type { AdaptableRequest, Adaptation } from './versions/adaptation.ts'
export { routesOf, type VersionRoute } from './versions/routes-of.ts'
export {
  checkGlobalAllowed,
  checkWidening,
  isVisibility,
  isWider,
  joinVisibilities,
  parseCreateVisibility,
  parseGivenVisibility,
  parseSetVisibility,
  type Visibility,
  visibilities,
  withQueriedVisibility,
} from './visibility.ts'
