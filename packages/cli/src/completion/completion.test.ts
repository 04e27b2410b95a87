import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sampleBlueprint, sampleList } from '@tutti/client/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cli, startCli } from '../../test/cli.ts'
import { inShell, installCommand } from '../../test/shells.ts'

let cli: Cli
const asked: unknown[] = []
beforeAll(async () => {
  cli = await startCli({
    'blueprints.list': ({ query, headers }) => {
      asked.push([query, headers.tenant])
      return sampleList([sampleBlueprint({ id: 'web' }), sampleBlueprint({ id: 'web two' })])
    },
    'workflows.list': ({ query }) => {
      asked.push(query)
      const workflow = { created_at: null, plugin: null, operation: null, parameters: {} }
      const rules = { is_cascading: false, is_available: true, availability_rules: null }
      return sampleList([{ name: 'install', ...workflow, ...rules }])
    },
    // Answers after nobody waits any more.
    'deployments.list': () => new Promise<never>(() => {}),
  })
  await installCommand(cli.environment.workingFolder)
  await writeFile(join(cli.environment.workingFolder, 'inputs.yaml'), '')
})
afterAll(() => cli.close())

/** The candidates that `tutti complete` prints. */
async function candidates(...words: readonly string[]): Promise<string[]> {
  const before = cli.environment.written().length
  expect(await cli.tutti('complete', 'zsh', '--', ...words)).toBe(0)
  expect(cli.environment.errors()).toBe('')
  const lines = cli.environment.written().slice(before).split('\n').slice(0, -1)
  return lines.map((line) => line.split('\t')[0] ?? '')
}

test('nouns and verbs', async () => {
  expect(await candidates('use')).toEqual(['users', 'user-groups'])
  expect(await candidates('users', 'set')).toEqual(['set-password', 'set-role'])
  expect(await candidates('deployments', 'labels', '')).toEqual(['list', 'add', 'delete'])
  expect(await candidates('maintenance', 'act')).toEqual(['activate'])
  expect(await candidates('--json', '--tenant', 'web', 'users', 'un')).toEqual(['unlock'])
  expect(await candidates('complete')).toEqual([])
  expect(await candidates('nonsense', 'and', 'more')).toEqual([])
})

test('options, and the values that they can have', async () => {
  expect(await candidates('tenants', 'add-user', '--')).toEqual(
    expect.arrayContaining(['--tenant-name', '--role', '--json', '--profile', '--help']),
  )
  expect(await candidates('tenants', 'add-user', 'alice', '-r', '')).toEqual([
    'manager',
    'user',
    'operations',
    'viewer',
  ])
  expect(await candidates('blueprints', 'set-visibility', 'web', '--visibility=g')).toEqual([
    '--visibility=global',
  ])
  expect(await candidates('permissions', 'get', 'v')).toEqual(['viewer'])
  expect(await candidates('completion', '')).toEqual(['bash', 'zsh', 'fish'])
  expect(await candidates('install', './w')).toEqual([':files'])
  expect(await candidates('install', '.', '-i', '')).toEqual([':files'])
  expect(await candidates('blueprints', 'upload', '--blueprint-id', '')).toEqual(['web', 'web two'])
})

test('ids come from the manager and the tenant that the command line names', async () => {
  asked.length = 0
  expect(await candidates('--tenant', 'lab', 'blueprints', 'get', 'we')).toEqual(['web', 'web two'])
  expect(asked).toEqual([[{ _size: ['100'], _search: ['we'] }, 'lab']])
})

test('workflows are those of the deployment that is named before', async () => {
  asked.length = 0
  expect(await candidates('executions', 'start', '-d', 'web', 'in')).toEqual(['install'])
  expect(asked).toEqual([{ id: ['web'] }])
})

test('a manager that refuses, is away or does not answer in time is no noise', async () => {
  expect(await candidates('users', 'get', '')).toEqual([])
  expect(await candidates('--url', 'http://127.0.0.1:1', 'blueprints', 'get', '')).toEqual([])
  expect(await candidates('--profile', 'nobody', 'blueprints', 'get', '')).toEqual([])
  const start = performance.now()
  expect(await candidates('deployments', 'get', '')).toEqual([])
  expect(performance.now() - start).toBeLessThan(30_000)
})

/** Runs a script in a shell where `tutti` completes. */
const shell = (command: readonly [string, ...string[]], script: string) =>
  inShell(command, script, cli.environment.workingFolder, cli.environment.variables)

/**
 * In a shell that somebody does not have, nothing of theirs can be tried. CI has all of them: `.ci/run` installs them and
 * says so, and one that is missing then fails.
 */
const shellTest = (name: string, what: string, run: () => Promise<void>) => {
  const isThere = (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, name)))
  if (isThere || process.env.TUTTI_TEST_ALL === '1') test(what, run)
}

shellTest('bash', 'bash completes verbs, ids, values of options and files', async () => {
  const cases: readonly (readonly [readonly string[], string])[] = [
    [['user'], 'users|user-groups|'],
    [['blueprints', 'get', 'w'], String.raw`web|web\ two|`],
    [['blueprints', 'set-visibility', 'x', '--visibility', '=', 'g'], 'global|'],
    [['install', ''], '|'],
  ]
  const complete = (words: readonly string[]) =>
    `COMP_WORDS=(tutti ${words.map((word) => `'${word}'`).join(' ')}) COMP_CWORD=${words.length}
     _tutti tutti
     printf '%s|' "\${COMPREPLY[@]}"; echo`
  const script = [
    'source <(tutti completion bash)',
    'complete -p tutti',
    ...cases.map(([words]) => complete(words)),
  ]
  const written = await shell(['bash', '--norc', '-c'], script.join('\n'))
  expect(written.trim().split('\n')).toEqual([
    'complete -F _tutti tutti',
    ...cases.map(([, expected]) => expected),
  ])
})

shellTest('zsh', 'zsh completes verbs with their descriptions, and files', async () => {
  const written = await shell(
    ['zsh', '-f', '-c'],
    `autoload -U compinit && compinit -D; source <(tutti completion zsh)
       print $_comps[tutti]; _describe() { print -l $candidates }
       words=(tutti users set-r) CURRENT=3; _tutti
       _files() { print files }; words=(tutti install '') CURRENT=3; _tutti`,
  )
  expect(written).toBe('_tutti\nset-role:Set the role of a user that counts in every tenant\nfiles\n')
})

shellTest('fish', 'fish completes verbs, ids and files', async () => {
  const written = await shell(
    ['fish', '--no-config', '-c'],
    `tutti completion fish | source
       complete -C 'tutti users set-r'; complete -C 'tutti blueprints get we'; complete -C 'tutti install inp'`,
  )
  expect(written).toBe(
    'set-role\tSet the role of a user that counts in every tenant\nweb\nweb two\ninputs.yaml\n',
  )
})
