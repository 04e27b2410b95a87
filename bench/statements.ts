import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { query } from './database.ts'
import { type BenchManager, startManager } from './manager.ts'

/**
 * Makes PostgreSQL count its statements, which takes a restart of it. Returns a manager that writes the counts to
 * `statements.tsv` when asked.
 */
export async function startWithStatements(dataFolder: string, profileFolder: string): Promise<BenchManager> {
  await mkdir(profileFolder, { recursive: true })
  const first = await startManager({ dataFolder })
  await query(dataFolder, "alter system set shared_preload_libraries = 'pg_stat_statements'")
  await query(dataFolder, 'alter system set pg_stat_statements.track_planning = on')
  await first.stop()
  const manager = await startManager({ dataFolder, profileFolder })
  await query(dataFolder, 'create extension if not exists pg_stat_statements')
  return manager
}

/** The statements that took most time since the last call, one a line: calls, ms, rows, text. */
export async function writeStatements(dataFolder: string, folder: string, name: string): Promise<void> {
  const rows = await query(
    dataFolder,
    `select calls, round(total_plan_time) as plan, round(total_exec_time) as execute, rows,
       regexp_replace(query, '\\s+', ' ', 'g') as query
     from pg_stat_statements order by total_exec_time + total_plan_time desc limit 80`,
  )
  const lines = rows.map((row) => Object.values(row).join('\t'))
  await writeFile(
    join(folder, `${name}.tsv`),
    `${['calls', 'ms planned', 'ms executed', 'rows', 'statement'].join('\t')}\n${lines.join('\n')}\n`,
  )
  await query(dataFolder, 'select pg_stat_statements_reset()')
}
