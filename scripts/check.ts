/** `npm run check`: types, lint, format and package boundaries. Prints what failed; exit code 1 if any did. */
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const runner = join(root, 'scripts', 'with-node.mjs')

const steps = [
  ['types', 'tsc', '--project', root],
  ['lint, format and boundaries', 'biome', 'check', '--error-on-warnings', root],
] as const

let failed = false
for (const [what, command, ...args] of steps) {
  const { status } = spawnSync(process.execPath, [runner, '--bin', command, ...args], {
    cwd: root,
    stdio: 'inherit',
  })
  console.log(`${status === 0 ? 'ok' : 'FAILED'}: ${what}`)
  failed ||= status !== 0
}
process.exit(failed ? 1 : 0)
