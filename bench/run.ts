/**
 * `npm run bench`: measures a Tutti as it is served, and writes bench/results/DATE-COMMIT.json and .md.
 *
 *   --quick            a hundredth of the work, nothing written: does it run at all?
 *   --only NAME,…      startup, tiers, scale, scripts, operations, deployments, groups, requests, events, searches, environments; nothing
 *                      written
 *   --profile FOLDER   a CPU profile of the manager, and the SQL statements of each part by their time; nothing written
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { benchDeployments } from './benches/deployments.ts'
import { benchEnvironments } from './benches/environments.ts'
import { benchEvents } from './benches/events.ts'
import { benchGroups } from './benches/groups.ts'
import { benchOperations } from './benches/operations.ts'
import { benchRequests } from './benches/requests.ts'
import { benchScale } from './benches/scale.ts'
import { benchSearches } from './benches/searches.ts'
import { benchStartup } from './benches/startup.ts'
import { benchTiers } from './benches/tiers.ts'
import { startFloor } from './floor/start.ts'
import { benchFolder } from './folder.ts'
import { describeMachine } from './machine.ts'
import { startManager } from './manager.ts'
import { memoryOf } from './memory.ts'
import { type Report, reportText } from './report.ts'
import { startWithStatements, writeStatements } from './statements.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    profile: { type: 'string' },
  },
})
const part = values.quick ? 0.01 : 1
const wanted = (name: string) => values.only === undefined || values.only.split(',').includes(name)

const report = await measure()
const text = reportText(report)
console.log(text)
if (!values.quick && values.only === undefined && values.profile === undefined) await store(report, text)

async function measure(): Promise<Report> {
  const machine = describeMachine(new Date())
  const startup = wanted('startup')
    ? await step('startup', () => benchStartup(values.quick ? 1 : 5))
    : undefined
  const folder = await benchFolder()
  const manager =
    values.profile === undefined
      ? await startManager({ dataFolder: folder.path })
      : await startWithStatements(folder.path, values.profile)
  const floor = await startFloor(folder.path)
  try {
    // Start-up garbage is not what an idle manager holds; a minor pause lets timers and pools settle.
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    const idle = await memoryOf(manager)
    const shape = { tiers: 10, instancesPerTier: Math.ceil(100 * part) }
    const measured = <Result>(name: string, run: () => Promise<Result>) =>
      step(name, async () => {
        const result = await run()
        if (values.profile !== undefined) await writeStatements(folder.path, values.profile, name)
        return result
      })
    const tiers = wanted('tiers')
      ? await measured('tiers', () =>
          benchTiers(manager, { ...shape, id: 'tiers', hasScript: false, runs: values.quick ? 1 : 7 }),
        )
      : undefined
    const scale = wanted('scale')
      ? await measured('scale', () =>
          benchScale(manager, {
            instances: Math.ceil(1_000 * part),
            delta: Math.ceil(100 * part),
            runs: values.quick ? 1 : 5,
          }),
        )
      : undefined
    const scripts = wanted('scripts')
      ? await measured('scripts', () =>
          benchTiers(manager, {
            ...shape,
            instancesPerTier: Math.ceil(20 * part),
            id: 'scripts',
            hasScript: true,
            runs: 1,
          }),
        )
      : undefined
    const operations = wanted('operations')
      ? await measured('operations', () =>
          benchOperations(manager, {
            atOnce: Math.ceil(400 * part),
            oneByOne: Math.ceil(100 * part),
            runs: values.quick ? 1 : 3,
          }),
        )
      : undefined
    const deployments =
      wanted('deployments') || wanted('requests')
        ? await measured('deployments', () =>
            benchDeployments(manager, { deployments: 1000 * part, clients: 16 }),
          )
        : undefined
    const requests = wanted('requests')
      ? await step('requests', () =>
          benchRequests(manager, floor, { warmUpMs: 1_000 * part, durationMs: 5_000 * part }),
        )
      : undefined
    const groups = wanted('groups')
      ? await measured('groups', () => benchGroups(manager, { deployments: 1000 * part, concurrency: 50 }))
      : undefined
    const environments = wanted('environments')
      ? await measured('environments', () =>
          benchEnvironments(manager, { children: 10_000 * part, executions: 1000 * part, clients: 16 }),
        )
      : undefined
    const events = wanted('events')
      ? await step('events', () =>
          benchEvents(manager, floor, { warmUpMs: 2_000 * part, durationMs: 2_000 * part }, [
            10_000,
            1_000_000 * part,
          ]),
        )
      : undefined
    // Last, because it begins with a table of its own.
    const searches = wanted('searches')
      ? await measured('searches', () =>
          benchSearches(manager, floor, { warmUpMs: 2_000 * part, durationMs: 2_000 * part }, [
            1_000,
            1_000_000 * part,
          ]),
        )
      : undefined
    const loaded = await memoryOf(manager)
    return {
      machine,
      startup,
      tiers,
      scale,
      scripts,
      operations,
      deployments,
      requests,
      events,
      searches,
      groups,
      environments,
      memory: { idle, loaded },
    }
  } finally {
    floor.stop()
    await manager.stop()
    await folder.remove()
  }
}

async function step<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
  console.error(`${name} …`)
  return run()
}

async function store(result: Report, written: string): Promise<void> {
  const folder = join(dirname(fileURLToPath(import.meta.url)), 'results')
  const name = `${result.machine.at.slice(0, 10)}-${result.machine.commit}`
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(result, undefined, 2)}\n`)
  await writeFile(join(folder, `${name}.md`), written)
  console.error(`written: ${join(folder, name)}.json and .md`)
}
