import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { afterEach, expect, test } from 'vitest'
import { type TestEnvironment, testEnvironment } from '../test/test-environment.ts'
import { cliDocument } from './document.ts'
import { createProgram } from './program.ts'
import { run } from './run.ts'
import { installedParts } from './serve/installed-parts.ts'
import { documentFile } from './write-document.ts'

const opened: TestEnvironment[] = []
afterEach(async () => {
  for (const environment of opened.splice(0)) await environment.remove()
})

async function tutti(...args: readonly string[]) {
  const environment = await testEnvironment()
  opened.push(environment)
  const exitCode = await run(args, environment, installedParts, '1.2.3')
  return { exitCode, written: environment.written(), errors: environment.errors() }
}

test('help is a success and shows what there is', async () => {
  const { exitCode, written } = await tutti('--help')
  expect(exitCode).toBe(0)
  for (const noun of ['serve', 'install', 'blueprints', 'node-instances']) expect(written).toContain(noun)
})

test('the version is that of the program', async () => {
  expect(await tutti('--version')).toMatchObject({ exitCode: 0, written: '1.2.3\n' })
})

test.each([
  [['deploymens', 'list'], "unknown command 'deploymens'\n(Did you mean deployments?)"],
  [['deployments', 'lst'], "unknown command 'lst'\n(Did you mean list?)"],
  [['blueprints', 'list', '--serch', 'x'], '(Did you mean --search?)'],
  [['executions', 'start', 'install'], "required option '-d, --deployment-id <deployment>'"],
  [['blueprints', 'list', '--size', 'many'], 'It must be a whole number.'],
  [['executions', 'delete'], '--keep-last COUNT or --before TIME'],
  [['events', 'list'], 'Say whose events'],
  [['filters'], '(Did you mean one of blueprints filters, deployments filters?)'],
  [['user', 'list'], '(Did you mean users?)'],
  [['exec', 'list'], '(Did you mean one of executions, execution-groups?)'],
  [['groups'], '(Did you mean one of deployment-groups, execution-groups, scaling-groups, user-groups?)'],
  [['users', 'get', ''], 'An argument is empty\n  next:  Is a variable not set? See: tutti users get --help'],
  [['users', 'list', '--filter', 'active'], 'A filter is written field=value, got active'],
  [['capabilities', 'search'], 'Say which: -d DEPLOYMENT or -b BLUEPRINT'],
  [['executions', 'operations'], 'Say which: -e EXECUTION or --graph-id GRAPH'],
  [['deployments', 'set-site', 'web'], 'Say which: -s SITE or --detach-site'],
  [['sites', 'update', 'london'], 'Say which: --new-name NAME or'],
  [['license', 'upload', 'nothing.yaml'], 'nothing.yaml cannot be read: there is no such file'],
])('%j is a usage error that says what to do', async (args, message) => {
  const { exitCode, errors, written } = await tutti(...args)
  expect({ exitCode, written }).toEqual({ exitCode: 2, written: '' })
  expect(errors).toContain(message)
})

test('with --json a usage error is JSON too', async () => {
  const { exitCode, errors, written } = await tutti('users', 'get', '--json')
  expect({ exitCode, written }).toEqual({ exitCode: 2, written: '' })
  expect(JSON.parse(errors)).toEqual({
    error: { message: "missing required argument 'user'", next: 'See --help for how to write it' },
  })
})

test('a noun alone shows its help, and is a usage error', async () => {
  const { exitCode, errors, written } = await tutti('license')
  expect({ exitCode, written }).toEqual({ exitCode: 2, written: '' })
  expect(errors).toMatch(/^Usage: tutti license/)
  expect(errors).not.toContain('error:')
})

async function program(): Promise<Command> {
  const environment = await testEnvironment()
  opened.push(environment)
  return createProgram({ environment, parts: installedParts, finish: () => {} }, '0')
}

test('every command has a description and an example that begins with its own name', async () => {
  const visit = (command: Command, path: string) => {
    if (command.name() === 'help') return
    let help = ''
    command
      .configureOutput({
        writeOut: (text) => {
          help += text
        },
      })
      .outputHelp()
    expect(command.description(), path).not.toBe('')
    expect(help, path).toMatch(new RegExp(`\\n {2}\\$ (\\w+=\\S+ )*${path}`))
    for (const child of command.commands) visit(child, `${path} ${child.name()}`)
  }
  visit(await program(), 'tutti')
})

test('docs/cli.md is the one that the commands make', async () => {
  expect(await readFile(documentFile, 'utf8')).toBe(cliDocument(await program()))
})
