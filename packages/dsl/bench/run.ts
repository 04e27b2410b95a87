// npm run bench:dsl: time from a blueprint's text to its plan, and to the instances of a deployment.

import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { createDeploymentPlan, parseBlueprint, TYPE_FILES, typeFileUrl } from '../src/index.ts'
import { benchBlueprint } from './blueprint.ts'

const SIZES = [1_000, 2_000, 5_000, 10_000]
const RUNS = 5

const types = new Map(
  TYPE_FILES.map((path) => [path, readFileSync(fileURLToPath(typeFileUrl(path)), 'utf8')]),
)
console.log(`node ${process.version}, ${cpus()[0]?.model.trim()} × ${cpus().length}; best of ${RUNS}`)
for (const size of SIZES) {
  const text = benchBlueprint(size)
  const best = {
    parse: Number.POSITIVE_INFINITY,
    cpu: Number.POSITIVE_INFINITY,
    deploy: Number.POSITIVE_INFINITY,
  }
  let first = 0
  for (let run = 0; run < RUNS; run++) {
    const cpu = process.threadCpuUsage()
    const started = performance.now()
    const outcome = await parseBlueprint({
      mainFile: 'file:/bench/blueprint.yaml',
      text,
      files: new Set(['scripts/create.sh']),
      resolve: async (request) => {
        const found = request.kind === 'resource' ? types.get(request.path) : undefined
        return found === undefined || request.kind !== 'resource'
          ? null
          : { address: request.path, text: found }
      },
      now: new Date(),
    })
    const parsed = performance.now()
    const used = process.threadCpuUsage(cpu)
    best.cpu = Math.min(best.cpu, (used.user + used.system) / 1000)
    if (!outcome.ok) throw new Error(outcome.diagnostics[0].message)
    let random = 0
    const deployed = createDeploymentPlan({
      plan: outcome.plan,
      inputs: {},
      randomId: () => (random++).toString(36).padStart(6, '0'),
    })
    if (!deployed.ok) throw deployed.error
    if (run === 0) first = parsed - started
    best.parse = Math.min(best.parse, parsed - started)
    best.deploy = Math.min(best.deploy, performance.now() - parsed)
  }
  console.log(
    `${String(size).padStart(6)} nodes, ${text.split('\n').length} lines: ` +
      `parse and plan ${best.parse.toFixed(0)} ms (CPU ${best.cpu.toFixed(0)} ms, first run ${first.toFixed(0)} ms), deployment plan ${best.deploy.toFixed(0)} ms`,
  )
}
