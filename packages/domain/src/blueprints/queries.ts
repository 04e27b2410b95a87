import {
  blueprintLabels,
  type Database,
  type ListedResource,
  labelsField,
  labelValue,
  ownedRows,
  ownerFields,
  type Schema,
  type Scope,
  sharedColumn,
  timeField,
  type Users,
  usersOf,
  type Visibility,
  wireTime,
} from '@tutti/storage'
import { sql, type UpdateObject } from 'kysely'

/** docs/reference/blueprints.md, "Fields". */
export const blueprintResource: ListedResource = {
  model: 'Blueprint',
  from: sql`blueprints b
    left join tenants on tenants.id = b.tenant_id
    left join executions ue on ue.tenant_id = b.tenant_id and ue.id = b.upload_execution_id`,
  seenFrom: { table: sql`blueprints b`, without: ['tenants', 'ue'] },
  fields: {
    id: { column: sql`b.id` },
    description: { column: sql`b.description` },
    main_file_name: { column: sql`b.main_file_name` },
    plan: { column: sql`b.plan`, shown: sharedColumn(sql`b.plan`, sql`b.plan_parts`), isLarge: true },
    requirements: { column: sql`b.requirements` },
    labels: labelsField(blueprintLabels, 'b'),
    state: { column: sql`b.state` },
    error: { column: sql`b.error` },
    error_traceback: { column: sql`b.error_traceback` },
    is_hidden: { column: sql`b.is_hidden` },
    upload_execution: {
      column: sql`json_build_object('id', ue.id, 'workflow_id', ue.workflow_id, 'status', ue.status,
        'error', ue.error, 'created_at', ${wireTime(sql`ue.created_at`)}, 'started_at', ${wireTime(sql`ue.started_at`)},
        'ended_at', ${wireTime(sql`ue.ended_at`)})`,
    },
    updated_at: timeField(sql`b.updated_at`),
    ...ownerFields('b'),
  },
  ...ownedRows('b'),
  labelled: blueprintLabels,
  labelValue: labelValue(blueprintLabels, 'b'),
}

export const notHidden = sql`not b.is_hidden`

/** What the rules of uploads, deletes and updates look at beside the owner. */
export type BlueprintState = {
  readonly state: string
  readonly archive_sha256: string | null
  readonly archive_extension: string | null
  readonly upload_execution_id: string | null
}

export const stateColumns = ['state', 'archive_sha256', 'archive_extension', 'upload_execution_id'] as const

export type NewBlueprint = {
  readonly tenant_id: number
  readonly id: string
  readonly state: string
  readonly visibility: Visibility
  readonly created_by: string
  readonly created_at?: Date
  readonly error: string | null
  readonly main_file_name: string | null
  readonly archive_sha256: string | null
  readonly archive_extension: string | null
  readonly upload_execution_id: string | null
  readonly is_hidden: boolean
  /** JSON */
  readonly requirements?: string
}

export async function insertBlueprint(db: Database, blueprint: NewBlueprint): Promise<void> {
  await db.insertInto('blueprints').values(blueprint).execute()
}

/** Deployments made from the blueprint, in any tenant. */
export const deploymentsOf = (db: Database, scope: Scope, tenantId: number, id: string): Promise<Users> =>
  usersOf(db, scope, 'deployments', sql`x.blueprint_tenant_id = ${tenantId} and x.blueprint_id = ${id}`)

/** Blueprints whose plan imports this one. */
export const importersOf = (db: Database, scope: Scope, tenantId: number, id: string): Promise<Users> =>
  usersOf(
    db,
    scope,
    'blueprints',
    sql`x.tenant_id = ${tenantId} and x.imported_blueprints @> array[${id}]::text[]`,
  )

export async function hasPlan(db: Database, tenantId: number, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('blueprints')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .where('plan', 'is not', null)
    .executeTakeFirst()
  return row !== undefined
}

export async function updateBlueprint(
  db: Database,
  tenantId: number,
  id: string,
  change: UpdateObject<Schema, 'blueprints'>,
): Promise<void> {
  await db
    .updateTable('blueprints')
    .set({ updated_at: sql`clock_timestamp()`, ...change })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
}
