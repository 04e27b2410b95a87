import { type ListedResource, ownerFields } from '@tutti/storage'
import { type RawBuilder, sql } from 'kysely'
import { scaledCount } from './scaled-count.ts'

/** spec/rest-spec-b.md 2.8, spec/rest-facts-b.md 9. */
export const nodeResource: ListedResource = {
  model: 'Node',
  from: sql`nodes n
    join tenants on tenants.id = n.tenant_id
    join deployments d on d.tenant_id = n.tenant_id and d.id = n.deployment_id`,
  fields: {
    id: { column: sql`n.id` },
    deployment_id: { column: sql`n.deployment_id` },
    deployment_display_name: { column: sql`d.display_name` },
    blueprint_id: { column: sql`d.blueprint_id` },
    type: { column: sql`n.type` },
    type_hierarchy: { column: sql`n.type_hierarchy` },
    host_id: { column: sql`n.host_id` },
    properties: { column: sql`n.properties` },
    operations: { column: sql`n.operations` },
    plugins: { column: sql`n.plugins` },
    plugins_to_install: { column: sql`n.plugins_to_install` },
    relationships: { column: sql`n.relationships` },
    number_of_instances: { column: sql`n.number_of_instances` },
    planned_number_of_instances: { column: sql`n.planned_number_of_instances` },
    actual_number_of_instances: { column: instances('count(*)') },
    actual_planned_number_of_instances: {
      column: sql`n.planned_number_of_instances`,
      needs: { node_id: sql`n.id`, node_host: sql`n.host_id`, groups: sql`d.scaling_groups` },
      toWire: (planned, row) =>
        scaledCount(
          Number(planned),
          { id: String(row.node_id), hostId: row.node_host as string | null },
          row.groups as Parameters<typeof scaledCount>[2],
        ),
    },
    deploy_number_of_instances: { column: sql`n.deploy_number_of_instances` },
    min_number_of_instances: { column: sql`n.min_number_of_instances` },
    max_number_of_instances: { column: sql`n.max_number_of_instances` },
    drifted_instances: { column: instances('count(*) filter (where i.has_configuration_drift)') },
    unavailable_instances: { column: instances('count(*) filter (where not i.is_status_check_ok)') },
    ...ownerFields('n'),
  },
  search: sql`n.id`,
  tenantId: sql`n.tenant_id`,
  createdBy: sql`n.created_by`,
  visibility: sql`n.visibility`,
  // As they stand in the blueprint.
  tieBreaker: sql`(n.deployment_id, n.position)`,
}

function instances(what: string): RawBuilder<unknown> {
  return sql`(select ${sql.raw(what)} from node_instances i
    where i.tenant_id = n.tenant_id and i.deployment_id = n.deployment_id and i.node_id = n.id)`
}
