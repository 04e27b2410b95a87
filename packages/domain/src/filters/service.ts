import {
  badParameter,
  checkIdentifier,
  emptyUpdate,
  type FilteredResource,
  type FilterRule,
  illegalAction,
  type ListAnswer,
  type ListQuery,
  parseCreateVisibility,
  parseFilterRules,
  parseGivenVisibility,
  type RouteBody,
} from '@tutti/api'
import type { Transaction } from '@tutti/storage'
import { deleteOwned, listPage, type Scope } from '@tutti/storage'
import { type Actor, tenantOf, tenantScope } from '../actor.ts'
import { defaultTenant } from '../first.ts'
import { listScope } from '../list-scope.ts'
import { answerItem, checkNewVisibility, claimId, creationOf, lockOwned, requireOwned } from '../owned.ts'
import { filtersFor, insertFilter, type StoredFilter, updateFilter } from './queries.ts'

const stateColumns = ['value', 'is_system_filter'] as const

/** The filters that every manager has are global ones of the default tenant, which may have no others. */
const withSystemFilters = (scope: Scope): Scope =>
  scope.tenantIds.includes(defaultTenant.id)
    ? scope
    : { ...scope, globalTenantIds: [...new Set([...scope.globalTenantIds, defaultTenant.id])] }

export async function listFilters(
  actor: Actor,
  filtered: FilteredResource,
  query: ListQuery,
): Promise<ListAnswer> {
  const scope = withSystemFilters(await listScope(actor, query, 'filter_list'))
  return listPage(actor.services.db, filtersFor[filtered].resource, query, scope)
}

/** @throws not_found_error */
export const getFilter = (
  actor: Actor,
  filtered: FilteredResource,
  id: string,
  include?: readonly string[],
) => answerItem(actor, filtersFor[filtered].resource, id, include, withSystemFilters(tenantScope(actor)))

/** The rules of a stored filter, if one is named, and others; undefined when there is nothing to filter by. */
export async function rulesOf(
  actor: Actor,
  filtered: FilteredResource,
  filterIds: readonly (string | undefined)[],
  rules?: readonly FilterRule[],
): Promise<readonly FilterRule[] | undefined> {
  const named = filterIds.filter((id) => id !== undefined)
  if (named.length === 0) return rules
  const stored: FilterRule[] = []
  for (const id of named) {
    const { owned } = filtersFor[filtered]
    const filter = await requireOwned<StoredFilter>(actor, actor.services.db, owned, id, ['value'])
    stored.push(...filter.value)
  }
  return [...stored, ...(rules ?? [])]
}

/** @throws bad_parameters_error, invalid_filter_rule, conflict_error, forbidden_error */
export async function createFilter(
  actor: Actor,
  transaction: Transaction,
  filtered: FilteredResource,
  id: string,
  body: RouteBody<'deploymentsFilters.create'>,
): Promise<void> {
  checkIdentifier('filter_id', id)
  if (id.toLowerCase().startsWith('csys-')) {
    throw badParameter('All filters with a `csys-` prefix are reserved for internal use.')
  }
  const rules = parseFilterRules(body.filter_rules, filtered)
  const visibility = parseCreateVisibility(body)
  const creation = await creationOf(actor, transaction, body)
  await claimId(actor, transaction, filtersFor[filtered].owned, id, visibility)
  await insertFilter(transaction, filtered, {
    tenant_id: tenantOf(actor).id,
    id,
    rules,
    visibility,
    ...creation,
  })
}

/**
 * Rules of one type replace those of that type only (docs/reference/sites-filters-labels.md, "Filters"), and no rules
 * replace none.
 */
export async function changeFilter(
  actor: Actor,
  transaction: Transaction,
  filtered: FilteredResource,
  id: string,
  body: RouteBody<'deploymentsFilters.update'>,
): Promise<void> {
  if (body.filter_rules === undefined && body.visibility == null) throw emptyUpdate()
  const rules = body.filter_rules === undefined ? undefined : parseFilterRules(body.filter_rules, filtered)
  const visibility = parseGivenVisibility(body)
  const { owned } = filtersFor[filtered]
  const filter = await lockOwned<StoredFilter>(actor, transaction, owned, id, stateColumns)
  checkNoSystemFilter(filter)
  if (visibility !== undefined) await checkNewVisibility(actor, transaction, owned, filter, visibility)
  await updateFilter(transaction, filtered, filter, {
    ...(rules !== undefined && { rules: withOthersKept(filter.value, rules) }),
    ...(visibility !== undefined && { visibility }),
  })
}

function withOthersKept(present: readonly FilterRule[], rules: readonly FilterRule[]): readonly FilterRule[] {
  const types = new Set(rules.map(({ type }) => type))
  return [...present.filter(({ type }) => !types.has(type)), ...rules]
}

/** @throws illegal_action_error for those that every manager has, not_found_error */
export async function removeFilter(
  actor: Actor,
  transaction: Transaction,
  filtered: FilteredResource,
  id: string,
): Promise<void> {
  const { owned } = filtersFor[filtered]
  const filter = await lockOwned<StoredFilter>(actor, transaction, owned, id, stateColumns)
  checkNoSystemFilter(filter)
  await deleteOwned(transaction, owned, filter)
}

function checkNoSystemFilter(filter: StoredFilter & { readonly id: string }): void {
  if (filter.is_system_filter) throw illegalAction(`Cannot modify the system filter \`${filter.id}\``)
}
