import { afterEach, expect, test } from 'vitest'
import { type TestEnvironment, testEnvironment } from '../../test/test-environment.ts'
import { run } from '../run.ts'
import type { ServerParts } from './parts.ts'

const opened: TestEnvironment[] = []
afterEach(async () => {
  for (const environment of opened.splice(0)) await environment.remove()
})

/** Parts that only say what is done with them. */
function recordedParts(said: string[], over: Partial<ServerParts> = {}): ServerParts {
  const part = (name: string) => ({
    stop: async () => void said.push(`stop ${name}`),
    broken: new Promise<never>(() => {}),
  })
  return {
    openStore: async () => {
      said.push('open store')
      return { close: async () => void said.push('close store'), broken: new Promise<never>(() => {}) }
    },
    startManager: async ({ port }) => {
      said.push('start manager')
      return { ...part('manager'), url: `http://127.0.0.1:${port}`, localUrl: `http://127.0.0.1:${port}` }
    },
    rotateKeys: async () => ({ resealed: 0 }),
    startWorker: async (_configuration, _store, url) => {
      said.push(`start worker for ${url}`)
      return part('worker')
    },
    ...over,
  }
}

async function tutti(
  args: readonly string[],
  parts: ServerParts,
  variables: Readonly<Record<string, string>> = {},
) {
  const environment = await testEnvironment({ variables })
  opened.push(environment)
  environment.interrupt()
  const exitCode = await run(args, environment, parts, '0')
  return { exitCode, written: environment.written(), errors: environment.errors() }
}

test('serve starts the database first, and stops it last', async () => {
  const said: string[] = []
  const { exitCode, written } = await tutti(['serve', '--port', '9999'], recordedParts(said))
  expect(exitCode).toBe(0)
  expect(said).toEqual([
    'open store',
    'start manager',
    'start worker for http://127.0.0.1:9999',
    'stop worker',
    'stop manager',
    'close store',
  ])
  expect(written).toContain('Tutti serves http://127.0.0.1:9999')
})

test('each role starts only its parts', async () => {
  const api: string[] = []
  await tutti(['serve', '--roles', 'api'], recordedParts(api))
  expect(api).toEqual(['open store', 'start manager', 'stop manager', 'close store'])
  const worker: string[] = []
  await tutti(['worker', '--manager-url', 'http://tutti:1/'], recordedParts(worker), {
    TUTTI_DATABASE_URL: 'postgres://x',
  })
  expect(worker).toEqual(['open store', 'start worker for http://tutti:1', 'stop worker', 'close store'])
})

test('a worker of its own needs the database of its managers', async () => {
  const said: string[] = []
  const { exitCode, errors } = await tutti(['worker'], recordedParts(said))
  expect(exitCode).toBe(2)
  expect(errors).toContain('TUTTI_DATABASE_URL is not set')
  expect(said).toEqual([])
})

test('what was started is stopped when a later part does not start', async () => {
  const said: string[] = []
  const parts = recordedParts(said, {
    startManager: async () => {
      throw new Error('port 8080 is taken')
    },
  })
  expect(await tutti(['serve'], parts)).toMatchObject({
    exitCode: 1,
    errors: expect.stringContaining('port 8080 is taken'),
  })
  expect(said).toEqual(['open store', 'close store'])
})

test('a part that breaks ends the process with its error, after the others were stopped', async () => {
  const said: string[] = []
  const parts = recordedParts(said, {
    startWorker: async () => ({
      stop: async () => void said.push('stop worker'),
      broken: Promise.reject(new Error('database is gone')),
    }),
  })
  expect(await tutti(['serve'], parts)).toMatchObject({
    exitCode: 1,
    errors: expect.stringContaining('database is gone'),
  })
  expect(said.slice(2)).toEqual(['stop worker', 'stop manager', 'close store'])
})
