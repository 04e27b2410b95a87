import { readdir, readFile } from 'node:fs/promises'
import { tieredBlueprint } from '../blueprints/tiers.ts'
import { uploadBlueprint } from '../blueprints/upload.ts'
import { type Cpu, withCpu } from '../cpu.ts'
import type { BenchManager } from '../manager.ts'
import { proportionalMb } from '../memory.ts'
import { median, round } from '../statistics.ts'
import { install } from './workflow.ts'

export type OperationsRun = {
  readonly what: string
  /** Operations that ran in a process. */
  readonly operations: number
  readonly events: number
  /** From `started_at` to `ended_at` of the execution. */
  readonly installMs: number
  readonly operationsPerSecond: number
  /** Of the operations themselves, from their start to their end as events tell it. */
  readonly medianMs: number
  readonly cpu: Cpu
}

export type OperationsResult = {
  readonly atOnce: readonly OperationsRun[]
  readonly oneByOne: readonly OperationsRun[]
  /** Proportional set size of the idle parent that Python operations are forked from. */
  readonly parentMb: number
}

const scripts = {
  'nothing.py': '',
  'one.sh': '#!/bin/bash\nctx logger info working\n',
  'two.sh': '#!/bin/bash\nctx logger info "$(ctx node id)"\n',
}

type Script = keyof typeof scripts

/** Operations in processes: as many at once as a worker runs, and one after another. */
export async function benchOperations(
  manager: BenchManager,
  { atOnce, oneByOne, runs }: { readonly atOnce: number; readonly oneByOne: number; readonly runs: number },
): Promise<OperationsResult> {
  const many = (script: Script, what: string) => benchScript(manager, script, what, 1, atOnce, runs)
  const chain = (script: Script, what: string) => benchScript(manager, script, what, oneByOne, 1, 1)
  // Parents and compiled modules are there afterwards.
  await benchScript(manager, 'nothing.py', 'first', 1, 2, 1)
  return {
    atOnce: [
      ...(await many('nothing.py', 'an empty Python script')),
      ...(await many('one.sh', 'a bash script with one `ctx` call')),
    ],
    oneByOne: [
      ...(await chain('nothing.py', 'an empty Python script')),
      ...(await chain('two.sh', 'a bash script with two `ctx` calls')),
    ],
    parentMb: await parentMb(),
  }
}

async function benchScript(
  manager: BenchManager,
  script: Script,
  what: string,
  tiers: number,
  instances: number,
  runs: number,
): Promise<OperationsRun[]> {
  const { client } = manager
  const id = `operations-${script}-${tiers}-${instances}`.replace('.', '-')
  const path = `scripts/${script}`
  await uploadBlueprint(client, id, {
    'blueprint.yaml': tieredBlueprint(tiers, instances, path),
    [path]: scripts[script],
  })
  const results: OperationsRun[] = []
  for (let run = 0; run < runs; run += 1) {
    const deployment = `${id}-${run}`
    await client.deployments.create(deployment, { blueprintId: id })
    const { cpu, ...execution } = await withCpu(manager, () => install(client, deployment))
    const installMs = Date.parse(execution.ended_at ?? '') - Date.parse(execution.started_at ?? '')
    const query = { execution_id: execution.id, _size: 1 }
    const { total: events } = (await client.events.list({ query })).metadata.pagination
    results.push({
      what,
      operations: tiers * instances,
      events,
      installMs,
      operationsPerSecond: round((tiers * instances) / (installMs / 1000), 1),
      medianMs: await medianMs(manager, execution.id),
      cpu,
    })
  }
  return results
}

/** Between the events that an operation was started and that it succeeded. */
async function medianMs({ client }: BenchManager, executionId: string): Promise<number> {
  const times = async (type: string) => {
    const query = { execution_id: executionId, event_type: type, _size: 10_000 }
    const { items } = await client.events.list({ query })
    return new Map(items.map((event) => [event.node_instance_id, Date.parse(event.reported_timestamp)]))
  }
  const [started, succeeded] = await Promise.all([times('task_started'), times('task_succeeded')])
  return median([...succeeded].map(([id, at]) => at - (started.get(id) ?? at)))
}

async function parentMb(): Promise<number> {
  for (const pid of await readdir('/proc')) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (command.includes('operations_parent.py')) return proportionalMb(Number(pid))
  }
  return 0
}
