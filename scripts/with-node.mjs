// Runs a script or an installed command of this repository on Node 24, whatever Node started it.
// Plain JavaScript without dependencies: it must work on Node 20, before anything is installed.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))

installDependencies()
const node = findNode()
const [first, ...rest] = process.argv.slice(2)
if (first === undefined) {
  console.error('usage: node scripts/with-node.mjs (SCRIPT | --bin COMMAND) [ARGUMENT…]')
  process.exit(2)
}
const command =
  first === '--bin' ? [installedCommand(rest[0]), ...rest.slice(1)] : [join(root, first), ...rest]
run(node, command)

/** `npm ci`, once for each content of the lock file. */
function installDependencies() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
  const marker = join(root, 'node_modules', '.tutti-lock-sha256')
  if (existsSync(marker) && readFileSync(marker, 'utf8') === lock) return
  console.error('Installing dependencies (npm ci) …')
  const result = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (result.status !== 0) {
    console.error('npm ci failed: see its output above. Is the npm registry reachable?')
    process.exit(1)
  }
  writeFileSync(marker, lock)
}

/** This Node where it is new enough to run TypeScript directly, else the pinned one from node_modules. */
function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  const pinned = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node')
  if (existsSync(pinned)) return pinned
  console.error(
    `Tutti's sources need Node 24 or newer; this is ${process.version} and no pinned Node is there for ` +
      `${process.platform}-${process.arch}. Install Node 24 and try again.`,
  )
  return process.exit(1)
}

/** The JavaScript file behind a command of node_modules, so that no shebang picks another Node. */
function installedCommand(name) {
  const packages = { vitest: 'vitest', biome: '@biomejs/biome', tsc: 'typescript' }
  const manifest = createRequire(join(root, 'package.json')).resolve(`${packages[name] ?? name}/package.json`)
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8'))
  return join(dirname(manifest), typeof bin === 'string' ? bin : bin[name])
}

function run(executable, args) {
  const child = spawn(executable, args, {
    stdio: 'inherit',
    env: { ...process.env, PATH: `${dirname(executable)}${delimiter}${process.env.PATH ?? ''}` },
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    if (signal !== null) process.kill(process.pid, signal)
    else process.exit(code ?? 1)
  })
}
