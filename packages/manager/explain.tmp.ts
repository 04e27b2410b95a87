import { mkdtemp, rm } from 'node:fs/promises'
import { sql } from '/work/wt-secrets/node_modules/kysely/dist/index.js'
import { deploymentResource } from '/work/wt-secrets/packages/manager/src/features/deployments/queries.ts'
import {
  listPage,
  migrate,
  openDatabase,
  startEmbeddedPostgres,
} from '/work/wt-secrets/packages/storage/src/index.ts'

const folder = await mkdtemp('/tmp/tutti-explain-')
const pg = await startEmbeddedPostgres({ dataFolder: folder, log: () => {}, settings: { fsync: 'off' } })
const { db, pool, close } = openDatabase({ ...pg.connection, max: 2 })
await migrate(db)
await pool.query(`insert into tenants (id, name) values (0, 'default_tenant')`)
await pool.query(
  `insert into blueprints (tenant_id, id, state, created_by) values (0,'bench','uploaded','admin')`,
)
const size = 1_000_000
await pool.query(`insert into deployments (tenant_id, id, display_name, blueprint_tenant_id, blueprint_id, created_by, created_at)
    select 0, 'bench-' || i, 'bench ' || i, 0, 'bench', 'admin', clock_timestamp() - i * interval '1 second' from generate_series(1, ${size}) i`)
await pool.query(`insert into deployment_labels (tenant_id, deployment_id, key, value, created_by)
    select 0, 'bench-' || i, 'team', 'team-' || (i % ${size / 100}), 'admin' from generate_series(1, ${size}) i`)
await pool.query('vacuum analyze deployments')
await pool.query('vacuum analyze deployment_labels')
const original = pool.query.bind(pool)
const connect = pool.connect.bind(pool)
const explain = true
const seen: any[] = []
;(pool as any).connect = async (...a: any[]) => {
  if (a.length > 0) return (connect as any)(...a)
  const client: any = await (connect as any)()
  if (!client.__w) {
    client.__w = true
    const q = client.query.bind(client)
    client.query = (...args: any[]) => {
      seen.push(args)
      return q(...args)
    }
  }
  return client
}
const query = {
  page: { size: 1000, offset: 0 },
  getAllResults: false,
  sort: [{ by: 'field', key: 'created_at', direction: 'ascending' }],
  filters: [],
  ranges: [],
  include: ['id'],
  search: undefined,
  searchName: undefined,
  allTenants: false,
  filterId: undefined,
} as any
const scope = (admin: boolean) => ({
  username: 'bob',
  tenantIds: [0],
  administeredTenantIds: admin ? [0] : [],
  globalTenantIds: [],
})
for (const [what, admin, rules] of [
  ['any_of admin', true, [{ type: 'label', key: 'team', operator: 'any_of', values: ['team-0'] }]],
  ['any_of user', false, [{ type: 'label', key: 'team', operator: 'any_of', values: ['team-0'] }]],
  ['contains id', true, [{ type: 'attribute', key: 'id', operator: 'any_of', values: ['bench-5'] }]],
] as any) {
  seen.length = 0
  for (let i = 0; i < 3; i++) {
    const t = performance.now()
    const p = await listPage(db, deploymentResource, query, scope(admin), [], rules)
    console.log(what, p.items.length, p.total, p.filtered, (performance.now() - t).toFixed(1), 'ms')
  }
  const uniq = new Map(
    seen.map((a: any[]) => {
      const c = typeof a[0] === 'string' ? { text: a[0], values: a[1] } : a[0]
      return [c.text, c]
    }),
  )
  for (const c of uniq.values()) {
    if (!/^\s*select/i.test(c.text)) continue
    const r = await original('explain (analyze, costs off, buffers off) ' + c.text, c.values)
    console.log(r.rows.map((x: any) => x['QUERY PLAN']).join('\n'))
  }
}
await close()
await pg.stop()
await rm(folder, { recursive: true, force: true })
