import { type ChildProcess, spawn } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const repository = dirname(dirname(fileURLToPath(import.meta.url)))

/** Commands that CI runs elsewhere: demo.test.ts, and the run that this test is part of. */
const runElsewhere = ['npm run demo', 'npm test']
const serve = 'npm run tutti -- serve'

test('every command of the README works, in its order', async () => {
  const commands = (await readmeCommands()).filter((command) => !runElsewhere.includes(command))
  expect(commands[0], 'the manager comes first').toBe(serve)
  const folder = await mkdtemp(join(tmpdir(), 'tutti-readme-'))
  // Open for passing: as root, PostgreSQL runs as another user.
  await chmod(folder, 0o711)
  const environment = {
    ...withoutTutti(process.env),
    TUTTI_DATA_FOLDER: join(folder, 'data'),
    TUTTI_CONFIG_FOLDER: folder,
    TUTTI_RESOURCES_FOLDER: join(folder, 'resources'),
    TUTTI_PORT: String(await freePort()),
    TUTTI_LOG_LEVEL: 'error',
  }
  const manager = start(serve, environment)
  try {
    await said(manager, 'Tutti serves')
    for (const command of commands.slice(1)) {
      const child = start(command, environment)
      expect(await exitCode(child), `${command}\n${output.get(child)}`).toBe(0)
    }
  } finally {
    manager.kill('SIGTERM')
    expect(await exitCode(manager), output.get(manager)).toBe(0)
    await rm(folder, { recursive: true })
  }
})

/** The lines of the `sh` blocks, without comments. */
async function readmeCommands(): Promise<string[]> {
  const text = await readFile(join(repository, 'README.md'), 'utf8')
  return [...text.matchAll(/^```sh\n(.*?)^```/gms)]
    .flatMap(([, block = '']) => block.split('\n'))
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '')
}

const withoutTutti = (variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => !name.startsWith('TUTTI_')))

const output = new WeakMap<ChildProcess, string>()

function start(command: string, env: NodeJS.ProcessEnv): ChildProcess {
  // Without the shell that npm puts in between, which would not pass a signal on.
  const script = command.replace(/^npm run tutti -- /, '')
  expect(script, `README has a command that this test does not know: ${command}`).not.toBe(command)
  const args = [join(repository, 'packages/cli/src/main.ts'), ...script.split(' ')]
  const child = spawn(process.execPath, args, { cwd: repository, env, stdio: ['ignore', 'pipe', 'pipe'] })
  output.set(child, '')
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output.set(child, output.get(child) + text)
      child.emit('said')
    })
  }
  return child
}

function said(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.on('said', () => {
      if (output.get(child)?.includes(text)) resolve()
    })
    child.on('close', () => reject(new Error(`it ended without “${text}”: ${output.get(child)}`)))
  })
}

function exitCode(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return Promise.resolve(child.exitCode)
  return new Promise((resolve) => child.on('close', resolve))
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port of 127.0.0.1 is free')
  return address.port
}
