import { query } from '../database.ts'
import type { Floor } from '../floor/start.ts'
import type { BenchManager } from '../manager.ts'
import { type Asked, type LoadOptions, measureRequest, type RequestsResult } from './requests.ts'

/** How many deployments have the label that is searched for, however many there are. */
const hits = 100

/**
 * Searches, lists, counts and secrets, on a thousand deployments and on a million. These are rows that PostgreSQL makes
 * itself, each with two labels: one of ten values, and one of a value that a hundred deployments share.
 */
export async function benchSearches(
  manager: BenchManager,
  floor: Floor,
  options: LoadOptions,
  sizes: readonly number[],
): Promise<RequestsResult[]> {
  const results: RequestsResult[] = []
  for (const size of sizes) {
    await makeDeployments(manager.dataFolder, size)
    for (const asked of requestsOn(size)) results.push(await measureRequest(manager, floor, options, asked))
  }
  const secret = { value: 'x'.repeat(64), update_if_exists: true }
  results.push(
    await measureRequest(manager, floor, options, {
      request: 'a secret gets another value',
      // Each waits for the one before: they change the same row.
      connections: 1,
      path: '/secrets/bench',
      method: 'PUT',
      body: JSON.stringify(secret),
      // Sealed, a value is longer.
      floor: ['secret', 'bench-floor', 'x'.repeat(140)],
      wanted: { referencePerSecond: 76, times: 50 },
    }),
  )
  return results
}

const requestsOn = (size: number): readonly Asked[] => {
  const rule = (operator: string, values: readonly string[]) =>
    JSON.stringify({ filter_rules: [{ type: 'label', key: `team-of-${size}`, operator, values }] })
  const of = `of ${size.toLocaleString('en')}`
  const search = { connections: 4, path: '/searches/deployments?_include=id', method: 'POST' }
  return [
    {
      ...search,
      path: '/searches/deployments',
      request: `search by label: whole ${hits} ${of}`,
      body: rule('any_of', ['team-0']),
      floor: ['search by label', `team-of-${size}`, 'team-0'],
      wanted: { referencePerSecond: 5.7, times: 40 },
    },
    { ...search, request: `search by label, ids only: ${hits} ${of}`, body: rule('any_of', ['team-0']) },
    {
      ...search,
      request: `the same and a label of a tenth: 10 ${of}`,
      body: JSON.stringify({
        filter_rules: [
          { type: 'label', key: `team-of-${size}`, operator: 'any_of', values: ['team-0'] },
          { type: 'label', key: 'env', operator: 'any_of', values: ['env-0'] },
        ],
      }),
    },
    {
      ...search,
      path: '/searches/deployments?_include=id&_size=50',
      request: `search by the lack of a label, 50 ${of}`,
      body: rule('is_not', ['team-0']),
    },
    { request: `ids of a page of 1,000 ${of}`, connections: 4, path: '/deployments?_include=id' },
    {
      request: `counts by status ${of}`,
      connections: 1,
      path: '/summary/deployments?_target_field=deployment_status',
    },
  ]
}

async function makeDeployments(dataFolder: string, size: number): Promise<void> {
  // Without triggers, which would note each of the rows for the audit log and for environments.
  const run = (text: string) => query(dataFolder, `set session_replication_role = replica; ${text}`)
  await run(`insert into blueprints (tenant_id, id, state, created_by)
    values (0, 'bench', 'uploaded', 'admin') on conflict do nothing`)
  // Into an empty table, so that sizes are what they say; the benchmarks before this one have ended.
  await run(`truncate deployments cascade`)
  await run(`insert into deployments (tenant_id, id, display_name, blueprint_tenant_id, blueprint_id, created_by, created_at)
    select 0, 'bench-' || i, 'bench ' || i, 0, 'bench', 'admin', clock_timestamp() - i * interval '1 second'
    from generate_series(1, ${size}) i`)
  await run(`insert into deployment_labels (tenant_id, deployment_id, key, value, created_by)
    select 0, 'bench-' || i, 'team-of-${size}', 'team-' || (i % ${size / hits}), 'admin'
    from generate_series(1, ${size}) i`)
  await run(`insert into deployment_labels (tenant_id, deployment_id, key, value, created_by)
    select 0, 'bench-' || i, 'env', 'env-' || (i / ${size / hits} % 10), 'admin' from generate_series(1, ${size}) i`)
  for (const table of ['deployments', 'deployment_labels']) await query(dataFolder, `vacuum analyze ${table}`)
}
