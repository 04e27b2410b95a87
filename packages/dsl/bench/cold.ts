// COUNT [warmed]: a process of its own that prints how long the first parse of a blueprint of that many nodes takes
// in it, in ms, and the most memory that was resident, in MB. Warmed: a small other blueprint was parsed before.

import { benchBlueprint } from './blueprint.ts'
import { parsed } from './blueprints.ts'

const [count, warmed] = process.argv.slice(2)
const small = benchBlueprint(5)
const text = benchBlueprint(Number(count))
if (warmed !== undefined) await parsed(small)
const started = performance.now()
await parsed(text)
console.log(performance.now() - started, process.resourceUsage().maxRSS / 1024)
