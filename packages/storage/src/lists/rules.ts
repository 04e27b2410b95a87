import type { FilterRule } from '@tutti/api'
import { type RawBuilder, sql } from 'kysely'
import { isSeenLabel } from '../labels.ts'
import { columnOf } from './columns.ts'
import { literal } from './literal.ts'
import type { ListedResource, Scope } from './resource.ts'

/**
 * What each rule of a filter or a search asks of a row (docs/reference/rest-conventions.md, "Filter rules"); all of
 * them must hold.
 */
export const ruleConditions = (
  resource: ListedResource,
  rules: readonly FilterRule[],
  scope: Scope,
): readonly RawBuilder<unknown>[] =>
  rules.map((rule) =>
    rule.type === 'label' ? labelCondition(resource, rule, scope) : attributeCondition(resource, rule, scope),
  )

/**
 * Positive rules are lists of owners from the labels' own index, so that a label of few is looked up first; negative
 * ones look at the labels of each row.
 */
function labelCondition(
  resource: ListedResource,
  { key, operator, values }: Extract<FilterRule, { type: 'label' }>,
  scope: Scope,
): RawBuilder<unknown> {
  if (resource.labelled === undefined) throw new Error(`${resource.model} has no labels`)
  const { table, idColumn } = resource.labelled
  const isSeen = isSeenLabel(resource.labelled, scope)
  const [tenant, owner] = [sql`l.tenant_id`, sql.ref(`l.${idColumn}`)]
  const id = columnOf(resource, 'id', scope)
  const labels = sql`from ${sql.table(table)} l where l.key = ${key} and ${isSeen}`
  const isOwner = (more: RawBuilder<unknown>) =>
    sql`(${resource.tenantId}, ${id}) in (select ${tenant}, ${owner} ${labels} ${more})`
  const hasNone = (more: RawBuilder<unknown>) =>
    sql`not exists (select ${labels} and ${tenant} = ${resource.tenantId} and ${owner} = ${id} ${more})`
  switch (operator) {
    case 'any_of':
      return isOwner(sql`and l.value = any(${texts(values)})`)
    case 'not_any_of':
      return isOwner(sql`and l.value <> all(${texts(values)})`)
    case 'is_not_null':
      return isOwner(sql``)
    case 'is_null':
      return hasNone(sql``)
    case 'is_not':
      return hasNone(sql`and l.value = any(${texts(values)})`)
  }
}

/** An attribute that is null fits nothing, not even a rule that excludes. */
function attributeCondition(
  resource: ListedResource,
  { key, operator, values }: Extract<FilterRule, { type: 'attribute' }>,
  scope: Scope,
): RawBuilder<unknown> {
  const list = resource.listAttributes?.[key]
  if (list !== undefined && operator === 'any_of') return sql`${list} && ${texts(values)}`
  const column = resource.attributes?.[key] ?? columnOf(resource, key, scope)
  switch (operator) {
    case 'any_of':
      return sql`${column} = any(${texts(values)})`
    case 'not_any_of':
      return sql`${column} <> all(${texts(values)})`
    case 'contains':
      return sql`${column} like any(${texts(values.map((value) => `%${literal(value)}%`))})`
    case 'not_contains':
      return sql`${column} not like all(${texts(values.map((value) => `%${literal(value)}%`))})`
    case 'starts_with':
      return sql`${column} ilike any(${texts(values.map((value) => `${literal(value)}%`))})`
    case 'ends_with':
      return sql`${column} ilike any(${texts(values.map((value) => `%${literal(value)}`))})`
    case 'is_not_empty':
      return sql`coalesce(${column}::text, '') not in ('', '[]', '{}')`
  }
}

const texts = (values: readonly string[]) => sql`${[...values]}::text[]`
