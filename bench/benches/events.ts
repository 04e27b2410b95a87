import { query } from '../database.ts'
import type { Floor } from '../floor/start.ts'
import type { BenchManager } from '../manager.ts'
import { type LoadOptions, measureRequest, type RequestsResult } from './requests.ts'

/**
 * Pages of 50 events, as a client follows an execution: of one with ten thousand, and of one with a million in the
 * same table. Rows that PostgreSQL makes itself.
 */
export async function benchEvents(
  manager: BenchManager,
  floor: Floor,
  options: LoadOptions,
  sizes: readonly number[],
): Promise<RequestsResult[]> {
  for (const size of sizes) await makeEvents(manager.dataFolder, size)
  await query(manager.dataFolder, 'vacuum analyze events')
  const results: RequestsResult[] = []
  for (const size of sizes) {
    const ofExecution = `/events?execution_id=${executionOf(size)}&_size=50`
    const page = `${ofExecution}&_sort=reported_timestamp`
    const of = `of ${size.toLocaleString('en')}`
    results.push(
      await measureRequest(manager, floor, options, {
        request: `the first 50 events ${of}`,
        connections: 4,
        path: page,
        floor: ['events', executionOf(size), '50'],
        wanted: { referencePerSecond: 46, times: 60 },
      }),
      await measureRequest(manager, floor, options, {
        request: `the first 1,000 ${of}`,
        connections: 4,
        path: page.replace('_size=50', '_size=1000'),
        floor: ['events', executionOf(size), '1000'],
        wanted: { referencePerSecond: 27, times: 15 },
      }),
      await measureRequest(manager, floor, options, {
        request: `the last 50 ${of}, newest first`,
        connections: 4,
        path: page.replace('_sort=', '_sort=-'),
        floor: ['last events', executionOf(size), '50'],
      }),
      await measureRequest(manager, floor, options, {
        request: `50 in the order of lists, ${of}`,
        connections: 4,
        path: ofExecution,
        floor: ['events as stored', executionOf(size), '50'],
      }),
    )
  }
  results.push(
    await measureRequest(manager, floor, options, {
      request: 'the first 50 of all executions',
      connections: 4,
      path: '/events?_size=50',
      floor: ['events of all', '50'],
    }),
  )
  return results
}

const executionOf = (size: number) => `bench-events-${size}`

async function makeEvents(dataFolder: string, size: number): Promise<void> {
  await query(
    dataFolder,
    `insert into events (tenant_id, is_log, timestamp, reported_timestamp, execution_id, workflow_id, event_type, level,
       logger, message, created_by)
     select 0, i % 2 = 0, at, at, '${executionOf(size)}', 'install', case when i % 2 = 1 then 'task_started' end,
       case when i % 2 = 0 then 'info' end, case when i % 2 = 0 then 'ctx' end, 'message ' || i, 'admin'
     from (select i, timestamptz '2026-01-01' + i * interval '1 ms' as at from generate_series(1, ${size}) i) e`,
  )
}
