/** `npm run demo`: the way of a blueprint through Tutti, from upload to uninstall, on a manager of its own. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  createReporter,
  type Environment,
  installedParts,
  processEnvironment,
  reportError,
  resolveConfiguration,
  serve,
} from '@tutti/cli'
import { createClient } from '@tutti/client'
import { openDemoFolder } from './demo/folder.ts'
import { requirePython } from './demo/python.ts'
import { tour } from './demo/tour.ts'

/** Far more than the demo needs: whatever hangs ends here instead of going on forever. */
const timeLimitMs = 120_000

const user = processEnvironment()
const interruption = user.interruption()
const timeLimit = AbortSignal.timeout(timeLimitMs)
try {
  await demo(AbortSignal.any([interruption, timeLimit]))
} catch (error) {
  process.exitCode = 1
  if (interruption.aborted) {
    user.stderr.write('Interrupted. The next `npm run demo` cleans up what this one left.\n')
  } else if (timeLimit.aborted) {
    user.stderr.write(`The demo did not end within ${timeLimitMs / 1000} seconds. Run it again.\n`)
    process.exit()
  } else reportError(user, error, false)
}

async function demo(signal: AbortSignal): Promise<void> {
  const folder = await openDemoFolder()
  const environment = demoEnvironment(folder, signal)
  const { configuration } = await resolveConfiguration(environment, {
    dataFolder: folder,
    resourcesFolder: join(folder, 'resources'),
    port: '0',
    logLevel: 'error',
  })
  requirePython(configuration.python)
  const reporter = createReporter(environment, { isJson: false, hint: 'Ctrl-C stops the demo' })

  const stop = new AbortController()
  const ready = Promise.withResolvers<string>()
  const served = serve(configuration, installedParts, {
    signal: AbortSignal.any([signal, stop.signal]),
    onReady: async (url) => ready.resolve(url ?? ''),
    onStopping: () => {},
  })
  served.catch(ready.reject)
  const url = await reporter.step('Starting the manager, a worker and their PostgreSQL', () => ready.promise)
  reporter.note(`  manager ${url}, data in ${folder}`)
  try {
    const password = (await readFile(join(folder, 'admin-password'), 'utf8')).trim()
    const credentials = { kind: 'password', username: 'admin', password } as const
    const client = createClient({ url, tenant: 'default_tenant', credentials })
    await tour({ client, reporter, signal })
  } finally {
    await reporter.step('Stopping the manager', () => {
      stop.abort()
      return served
    })
  }
  reporter.note(nextSteps(folder))
}

/** The demo is the same for everybody: the settings of the user's own manager are not for it. */
function demoEnvironment(folder: string, signal: AbortSignal): Environment {
  const others = Object.entries(user.variables).filter(
    ([name]) => !name.startsWith('TUTTI_') || name === 'TUTTI_PYTHON',
  )
  const variables = { ...Object.fromEntries(others), TUTTI_CONFIG_FOLDER: folder }
  return { ...user, variables, interruption: () => signal }
}

function nextSteps(folder: string): string {
  const line = (command: string, what: string) => `  ${command.padEnd(45)}  ${what}\n`
  return (
    '\nNext:\n' +
    line('npm run tutti -- serve', 'a manager of your own; then, in another terminal:') +
    line('npm run tutti -- install examples/hello-world', 'what this demo has shown, to stay') +
    line('http://127.0.0.1:8080/docs', 'its REST API') +
    line('README.md, docs/architecture.md, examples/', 'how it works') +
    line(`rm -r ${folder}`, 'forgets the demo')
  )
}
