// npm run bench:dsl [-- --save]: time from a blueprint's text to its plan, and to the instances of a deployment.

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { benchBlueprint, scalingBlueprint } from './blueprint.ts'
import { deployed, parsed } from './blueprints.ts'

const SIZES = [1_000, 2_000, 5_000, 10_000]
const RUNS = 5
const COLD_RUNS = 7
const here = dirname(fileURLToPath(import.meta.url))

const lines: string[] = []
function say(line: string): void {
  console.log(line)
  lines.push(line)
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

/** In a process of its own: time and time of the processor in ms, and MB at most. */
function cold(...args: readonly string[]): readonly [ms: number, cpuMs: number, mb: number] {
  const output = execFileSync(process.execPath, [join(here, 'cold.ts'), ...args], { encoding: 'utf8' })
  const [time = Number.NaN, cpu = Number.NaN, memory = Number.NaN] = output.split(' ').map(Number)
  return [time, cpu, memory]
}

const ms = (value: number) => value.toFixed(0)
const load = (loadavg()[0] ?? 0).toFixed(2)
const commit = execFileSync('git', ['-C', here, 'describe', '--always', '--dirty'], {
  encoding: 'utf8',
}).trim()
const today = new Date().toISOString().slice(0, 10)

say(`# Benchmark of the blueprint language, ${commit}, ${today}`)
say('')
say(
  `${cpus().length} × ${cpus()[0]?.model.trim()}, ${(totalmem() / 2 ** 30).toFixed(1)} GiB, Node ${process.version}. Load average before: ${load}. \`npm run bench:dsl\`.`,
)
say('')
say('## Cold: 1,000 nodes')
say('')
say(
  `From text to plan, ${COLD_RUNS} processes each, TypeScript run directly; loading the code and reading the files is not counted. "First in the process": nothing was parsed in it before. "First of its kind": the process has parsed one other blueprint, of 5 nodes (a thread that serves requests has; a new one is started when none was used for a minute).`,
)
say('')
say('| | median, ms | of it the processor | all, ms |')
say('|---|---:|---:|---|')
for (const [name, ...more] of [['first in the process'], ['first of its kind', 'warmed']] as const) {
  const times = Array.from({ length: COLD_RUNS }, () => cold('1000', ...more))
  const all = times.map(([time]) => time)
  const processor = median(times.map(([, cpu]) => cpu))
  say(`| ${name} | ${ms(median(all))} | ${ms(processor)} | ${all.map(ms).join(', ')} |`)
}
say('')
say('## Warm')
say('')
say(
  `One process, sizes one after the other; best of ${RUNS}. Memory is the most that was resident in a process of its own that parsed it once.`,
)
say('')
say('| nodes | lines | parse and plan, ms | processor, ms | µs a node | deployment plan, ms | memory, MB |')
say('|---:|---:|---:|---:|---:|---:|---:|')
for (const size of SIZES) {
  const text = benchBlueprint(size)
  const best = { parse: Infinity, cpu: Infinity, deploy: Infinity }
  for (let run = 0; run < RUNS; run++) {
    const cpu = process.threadCpuUsage()
    const started = performance.now()
    const plan = await parsed(text)
    const finished = performance.now()
    const used = process.threadCpuUsage(cpu)
    deployed(plan)
    best.parse = Math.min(best.parse, finished - started)
    best.cpu = Math.min(best.cpu, (used.user + used.system) / 1000)
    best.deploy = Math.min(best.deploy, performance.now() - finished)
  }
  const [, , memory] = cold(String(size))
  say(
    `| ${size} | ${text.split('\n').length} | ${ms(best.parse)} | ${ms(best.cpu)} | ${ms((best.parse * 1000) / size)} | ${ms(best.deploy)} | ${ms(memory)} |`,
  )
}
say('')
say('## A scaling group of 10,000')
say('')
const scaled = await parsed(scalingBlueprint(10_000))
const times: number[] = []
let instances = 0
for (let run = 0; run < RUNS; run++) {
  const started = performance.now()
  instances = deployed(scaled).node_instances.length
  times.push(performance.now() - started)
}
say(
  `Two nodes, one contained in the other, in a group of 10,000: ${instances} node instances in ${ms(times[0] ?? 0)} ms the first time, ${ms(Math.min(...times))} ms at best.`,
)
if (process.argv.includes('--save')) {
  const name = `dsl-${today}-${commit}.md`
  writeFileSync(join(here, '../../../bench/results', name), `${lines.join('\n')}\n`)
  console.log(`\nwritten to bench/results/${name}`)
}
