// COUNT [warmed]: a process of its own that prints how long the first parse of a blueprint of that many nodes takes
// in it, in ms, how much of a processor its thread took, and the most memory that was resident, in MB. Warmed: a small other blueprint was parsed before.

import { benchBlueprint } from './blueprint.ts'
import { parsed } from './blueprints.ts'

const [count, warmed] = process.argv.slice(2)
const small = benchBlueprint(5)
const text = benchBlueprint(Number(count))
if (warmed !== undefined) await parsed(small)
const cpu = process.threadCpuUsage()
const started = performance.now()
await parsed(text)
const finished = performance.now()
const { user, system } = process.threadCpuUsage(cpu)
console.log(finished - started, (user + system) / 1000, process.resourceUsage().maxRSS / 1024)
