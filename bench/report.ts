import type { DeploymentsResult } from './benches/deployments.ts'
import type { EnvironmentsResult } from './benches/environments.ts'
import type { GroupsResult } from './benches/groups.ts'
import type { OperationsResult, OperationsRun } from './benches/operations.ts'
import type { RequestsResult } from './benches/requests.ts'
import type { StartupResult } from './benches/startup.ts'
import type { TiersResult } from './benches/tiers.ts'
import type { Cpu } from './cpu.ts'
import type { Machine } from './machine.ts'
import type { Memory } from './memory.ts'

/** Everything that was measured; parts that were not asked for are undefined. */
export type Report = {
  readonly machine: Machine
  readonly startup: StartupResult | undefined
  readonly tiers: TiersResult | undefined
  readonly scripts: TiersResult | undefined
  readonly operations: OperationsResult | undefined
  readonly deployments: DeploymentsResult | undefined
  readonly requests: readonly RequestsResult[] | undefined
  readonly events: readonly RequestsResult[] | undefined
  readonly searches: readonly RequestsResult[] | undefined
  readonly groups: GroupsResult | undefined
  readonly environments: EnvironmentsResult | undefined
  readonly memory: { readonly idle: Memory; readonly loaded: Memory }
}

/** The report for people, in Markdown. What was measured is beside each number, because only together they say much. */
export function reportText(report: Report): string {
  const { machine, startup, tiers, scripts, deployments, groups, requests, events, searches } = report
  const { operations, environments, memory } = report
  return [
    `# Benchmark of ${machine.commit}, ${machine.at.slice(0, 10)}`,
    machineText(machine),
    '`npm run bench` starts `tutti serve` as a user would (TypeScript run directly, all roles in one process, embedded ' +
      'PostgreSQL with `fsync` and `synchronous_commit` on) and drives it over its REST API from another process on ' +
      'the same machine, which takes its share of the same cores. The raw numbers are in the JSON file beside this.',
    ...(tiers === undefined ? [] : ['## One large install', tiersText(tiers)]),
    ...(scripts === undefined ? [] : ['## The same with operations that run', scriptsText(scripts)]),
    ...(operations === undefined ? [] : ['## Operations in processes', operationsText(operations)]),
    ...(deployments === undefined ? [] : ['## Many small installs', deploymentsText(deployments)]),
    ...(groups === undefined ? [] : ['## A group', groupsText(groups)]),
    ...(requests === undefined ? [] : ['## Requests', requestsText(requests)]),
    ...(events === undefined ? [] : ['## Events of one execution', requestsText(events)]),
    ...(searches === undefined ? [] : ['## Searches, lists and counts', requestsText(searches)]),
    ...(environments === undefined ? [] : ['## A large environment', environmentsText(environments)]),
    ...(startup === undefined ? [] : ['## Start', startupText(startup)]),
    '## Memory',
    memoryText(memory),
  ]
    .join('\n\n')
    .concat('\n')
}

const count = (value: number): string => value.toLocaleString('en')

function machineText(machine: Machine): string {
  const { cpu, cores, memoryGiB, kernel, node, fileSystem, folder, flushMs, loadBefore, user } = machine
  return (
    `${cores} × ${cpu}, ${memoryGiB} GiB, ${kernel}, Node ${node}, as ${user}. Data on ${fileSystem} (${folder}): ` +
    `appending and flushing 8 KiB takes ${flushMs} ms. Load average before: ${loadBefore}.`
  )
}

function tiersText(result: TiersResult): string {
  const [first] = result.runs
  const rows = result.runs.map(
    ({ operations, events, installMs, operationsPerSecond, cpu }) =>
      `| ${count(operations)} | ${count(events)} | ${count(installMs)} | ${count(operationsPerSecond)} | ${cpu.node} | ` +
      `${cpu.postgres} |`,
  )
  return (
    `Install of ${count(result.instances)} node instances in ${result.tiers} tiers that implement ${result.implements}: ` +
    `**${count(result.medianOperationsPerSecond)} operations/s** (median).\n\n` +
    'An operation is a row of the tasks graph that was stored as pending, then as done, with its events and the state ' +
    `of its node instance: ${first === undefined ? '' : `${count(first.operations)} of them`} here. The time is that of ` +
    'the execution: loading the model, building and storing the graph, running it, all of it committed. The limit is ' +
    'the processor, in turns: the engine waits while a step is stored, PostgreSQL while the next is made.\n\n' +
    '| operations | events | ms | operations/s | Node, s of processor | PostgreSQL |\n|---:|---:|---:|---:|---:|---:|\n' +
    rows.join('\n')
  )
}

function scriptsText(result: TiersResult): string {
  const [run] = result.runs
  if (run === undefined) return ''
  const perSecond = (result.instances / (run.installMs / 1000)).toFixed(1)
  return (
    `Install of ${count(result.instances)} node instances in ${result.tiers} tiers that implement ${result.implements}: ` +
    `**${perSecond} scripts/s**, ${count(run.operationsPerSecond)} operations/s (${count(run.operations)} operations in ` +
    `${count(run.installMs)} ms). There is no operation without a process: the limit is the start of Python for each. ` +
    cpuText(run.cpu)
  )
}

function operationsText({ atOnce, oneByOne, parentMb }: OperationsResult): string {
  const row = (run: OperationsRun) =>
    `| ${run.what} | ${count(run.operations)} | ${count(run.events)} | ${count(run.installMs)} | ` +
    `${run.operationsPerSecond} | ${run.medianMs} | ` +
    `${[run.cpu.node, run.cpu.postgres, run.cpu.operations].map((seconds) => eachOf(run, seconds)).join(' | ')} |`
  const eachOf = (run: OperationsRun, seconds: number) => ((1000 * seconds) / run.operations).toFixed(1)
  const table = (runs: readonly OperationsRun[]) =>
    '| an operation is | operations | events | ms | operations/s | median ms | Node, ms of processor each | PostgreSQL | ' +
    'its process |\n' +
    `|:---|---:|---:|---:|---:|---:|---:|---:|---:|\n${runs.map(row).join('\n')}`
  return (
    'Installs whose instances have one operation each; the time is that of the execution, with all its other steps and ' +
    `events. The parent of the processes, idle, has ${parentMb} MB (PSS).\n\n` +
    `20 at once:\n\n${table(atOnce)}\n\nOne after another:\n\n${table(oneByOne)}`
  )
}

function deploymentsText(result: DeploymentsResult): string {
  const { deployments, nodes, clients, acceptedSeconds, seconds, installsPerMinute } = result
  return (
    `${count(deployments)} deployments of ${nodes} nodes that implement nothing, created and installed through the API ` +
    `by ${clients} clients: **${count(installsPerMinute)} installs/min**. All in ${seconds} s; the last was accepted ` +
    `after ${acceptedSeconds} s. Each is two executions (creation and install) and waits for its creation. ` +
    `${cpuText(result.cpu)} The limit is the processor: some 85 statements for each deployment.`
  )
}

function groupsText(result: GroupsResult): string {
  const { deployments, concurrency, created, installed, installsPerMinute } = result
  return (
    `A group of ${count(deployments)} such deployments was asked for by one request, which was answered after ` +
    `${created.acceptedSeconds} s; all were there after ${created.seconds} s. Its install, ${concurrency} at a time, was ` +
    `accepted after ${installed.acceptedSeconds} s and had ended after ${installed.seconds} s: ` +
    `**${count(installsPerMinute)} installs/min**. Creation: ${cpuText(created.cpu)} Install: ${cpuText(installed.cpu)}`
  )
}

function cpuText({ node, postgres, operations, client }: Cpu): string {
  const processes = operations === 0 ? '' : `${operations} s in processes of operations, `
  return `Processor time: ${node} s in the Node process, ${postgres} s in PostgreSQL, ${processes}${client} s in the client.`
}

function requestsText(results: readonly RequestsResult[]): string {
  const rows = results.map((result) => {
    const { request, connections, path, perSecond, p50Ms, p99Ms, bytesPerAnswer, errors, floor, wanted } =
      result
    const ofFloor =
      floor === undefined || floor.requests === 0
        ? ''
        : `${Math.round((100 * perSecond) / floor.perSecond)} %`
    const times =
      wanted === undefined ? ' | ' : `${(perSecond / wanted.referencePerSecond).toFixed(1)} | ${wanted.times}`
    return (
      `| ${request} (\`${path.replace(/[0-9a-f-]{36}/, 'ID')}\`) | ${connections} | ${count(perSecond)} | ${p50Ms} | ${p99Ms} | ` +
      `${count(bytesPerAnswer)} | ${errors} | ${eachMs(result)} | ${floor === undefined ? ' | | ' : `${count(floor.perSecond)} | ${eachMs(floor)}`} | ` +
      `${ofFloor} | ${times} |`
    )
  })
  return (
    `Keep-alive connections on the loopback interface, basic authentication, ${results[0]?.seconds ?? 0} s each. Node ` +
    'and PostgreSQL: milliseconds of processor time for each request, which say more than the requests a second when ' +
    'other work shares the machine. The floor is a bare Fastify that answers the same rows from the same database. The ' +
    'last columns are how many times as many it is as the reference answers, and how many are wanted.\n\n' +
    '| request | connections | /s | median ms | p99 ms | bytes | errors | Node | PostgreSQL | floor /s | its Node | ' +
    'its PostgreSQL | of the floor | × reference | wanted |\n' +
    `|---|${'---:|'.repeat(14)}\n${rows.join('\n')}`
  )
}

/** Milliseconds of processor time for each request, in Node and in PostgreSQL. */
const eachMs = ({ cpu, allRequests }: Pick<RequestsResult, 'cpu' | 'allRequests'>): string =>
  [cpu.node, cpu.postgres]
    .map((seconds) => ((1000 * seconds) / Math.max(1, allRequests)).toFixed(3))
    .join(' | ')

function environmentsText(result: EnvironmentsResult): string {
  const { children, clients, executions, created, inside, outside, requests } = result
  return (
    `One environment with ${count(children)} children, by ${clients} clients: **${count(created.perMinute)} children/min** ` +
    `were created in it. ${cpuText(created.cpu)} Then ${count(executions)} of them were installed, ` +
    `**${count(inside.perMinute)}/min**, and as many deployments that are in no environment, ` +
    `${count(outside.perMinute)}/min. In the environment: ${cpuText(inside.cpu)} Outside: ${cpuText(outside.cpu)}\n\n` +
    '| request, one after the other | median ms | p99 ms |\n|---|---:|---:|\n' +
    requests.map(({ request, p50Ms, p99Ms }) => `| ${request} | ${p50Ms} | ${p99Ms} |`).join('\n')
  )
}

function startupText(startup: StartupResult): string {
  return (
    'Until `tutti serve` answers requests (median): ' +
    `first start, with initdb, **${count(startup.medianFirstMs)} ms**; again **${count(startup.medianAgainMs)} ms**; ` +
    `after \`kill -9\`, with PostgreSQL left running, **${count(startup.medianAfterKillMs)} ms**.`
  )
}

function memoryText({ idle, loaded }: Report['memory']): string {
  const row = (name: string, memory: Memory) =>
    `| ${name} | ${memory.node} | ${memory.nodePeak} | ${memory.postgres} | ${memory.postgresProcesses} |`
  return (
    'MiB; PostgreSQL as proportional set size, so its shared memory counts once.\n\n' +
    '| | Node | Node, peak | PostgreSQL | its processes |\n|---|---:|---:|---:|---:|\n' +
    `${row('idle, after start', idle)}\n${row('after all of the above', loaded)}`
  )
}
