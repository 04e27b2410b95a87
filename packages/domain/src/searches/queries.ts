import { type ListedResource, ownedRows, ownerFields, partsList, writtenOutBy } from '@tutti/storage'
import { type RawBuilder, sql } from 'kysely'

/**
 * What can be looked for within deployments and, before there is one, within the plan of a blueprint. Rows are seen as
 * the deployment or blueprint is that they are in.
 */
type Place = {
  /** What the fields are called in SQL. */
  readonly rows: RawBuilder<unknown>
  readonly deploymentId: RawBuilder<unknown>
  readonly blueprintId: RawBuilder<unknown>
  /** `d` or `b`. */
  readonly owner: string
}

const noDeployment = sql`null::text`

const inDeployments = (rows: RawBuilder<unknown>): Place => ({
  rows: sql`deployments d left join tenants on tenants.id = d.tenant_id cross join lateral ${rows}`,
  deploymentId: sql`d.id`,
  blueprintId: sql`d.blueprint_id`,
  owner: 'd',
})

const inBlueprints = (rows: RawBuilder<unknown>): Place => ({
  rows: sql`blueprints b left join tenants on tenants.id = b.tenant_id cross join lateral ${rows}`,
  deploymentId: noDeployment,
  blueprintId: sql`b.id`,
  owner: 'b',
})

const located = (
  model: string,
  place: Place,
  fields: ListedResource['fields'],
  name: RawBuilder<unknown>,
): ListedResource => ({
  model,
  from: place.rows,
  fields: {
    ...fields,
    deployment_id: { column: place.deploymentId },
    blueprint_id: { column: place.blueprintId },
    tenant_name: { column: sql`tenants.name` },
  },
  ...ownedRows(place.owner),
  search: name,
  tieBreaker: sql`(coalesce(${place.deploymentId}, ${place.blueprintId}), ${name})`,
})

/** One definition for each of the two places. */
export type Located = { readonly deployment: ListedResource; readonly blueprint: ListedResource }

const both = (
  model: string,
  fields: ListedResource['fields'],
  name: RawBuilder<unknown>,
  rows: { readonly deployment: RawBuilder<unknown>; readonly blueprint: RawBuilder<unknown> },
): Located => ({
  deployment: located(model, inDeployments(rows.deployment), fields, name),
  blueprint: located(model, inBlueprints(rows.blueprint), fields, name),
})

const typesOfNodes = both('NodeType', { type: { column: sql`x.type` } }, sql`x.type`, {
  deployment: sql`(select distinct on (n.type) n.type, n.type_hierarchy as hierarchy from nodes n
    where n.tenant_id = d.tenant_id and n.deployment_id = d.id) x`,
  blueprint: sql`(select type, ${writtenOutBy(sql`node`, sql`parts.list`)}::json -> 'type_hierarchy' as hierarchy
    from (select distinct on (n ->> 'type') n ->> 'type' as type, n as node
      from json_array_elements(b.plan -> 'nodes') n) types,
      ${partsList(sql`b.plan_parts`)} as parts (list)) x`,
})

/** A type stands for those derived from it, where it is said which ones are valid. */
const withHierarchy = (resource: ListedResource): ListedResource => ({
  ...resource,
  listAttributes: { type_hierarchy: sql`(array(select json_array_elements_text(x.hierarchy)) || x.type)` },
})

export const nodeTypes: Located = {
  deployment: withHierarchy(typesOfNodes.deployment),
  blueprint: withHierarchy(typesOfNodes.blueprint),
}

export const scalingGroups = both(
  'ScalingGroup',
  {
    name: { column: sql`x.key` },
    members: { column: sql`x.value -> 'members'` },
    properties: { column: sql`x.value -> 'properties'` },
  },
  sql`x.key`,
  {
    deployment: sql`json_each(d.scaling_groups) x`,
    blueprint: sql`json_each(b.plan -> 'scaling_groups') x`,
  },
)

/** All of a deployment in one row; those whose keys are looked for are picked afterwards. */
export const capabilities = both('Capabilities', { capabilities: { column: sql`x.value` } }, sql`''`, {
  deployment: sql`(select d.capabilities as value) x`,
  blueprint: sql`(select b.plan -> 'capabilities' as value where b.plan is not null) x`,
})

/** A blueprint's nodes as far as its plan tells what they will be. */
export const plannedNodes: ListedResource = (() => {
  const planned = (key: string) => ({
    column: sql`${writtenOutBy(sql`x.value`, sql`parts.list`)}::json -> ${key}`,
  })
  const place = inBlueprints(sql`json_array_elements(b.plan -> 'nodes') x
    cross join lateral ${partsList(sql`b.plan_parts`)} as parts (list)`)
  const name = sql`(x.value ->> 'name')`
  const fields: ListedResource['fields'] = {
    id: { column: name },
    type: { column: sql`(x.value ->> 'type')` },
    type_hierarchy: planned('type_hierarchy'),
    host_id: { column: sql`(x.value ->> 'host_id')` },
    properties: planned('properties'),
    operations: planned('operations'),
    plugins: planned('plugins'),
    plugins_to_install: planned('plugins_to_install'),
    relationships: planned('relationships'),
    deployment_display_name: { column: sql`null::text` },
    ...Object.fromEntries(
      [
        'number_of_instances',
        'planned_number_of_instances',
        'actual_number_of_instances',
        'actual_planned_number_of_instances',
        'deploy_number_of_instances',
        'min_number_of_instances',
        'max_number_of_instances',
        'drifted_instances',
        'unavailable_instances',
      ].map((count) => [count, { column: sql`0` }]),
    ),
  }
  const resource = located('Node', place, fields, name)
  return { ...resource, fields: { ...resource.fields, ...ownerFields('b') } }
})()
