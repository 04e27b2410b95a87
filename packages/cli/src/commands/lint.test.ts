import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type TestEnvironment, testEnvironment } from '../../test/test-environment.ts'
import { run } from '../run.ts'
import { installedParts } from '../serve/installed-parts.ts'

const opened: TestEnvironment[] = []
afterEach(async () => {
  for (const environment of opened.splice(0)) await environment.remove()
})

async function lint(text: string, ...options: string[]) {
  const environment = await testEnvironment()
  opened.push(environment)
  const folder = join(environment.home, 'web')
  await mkdir(folder)
  await writeFile(join(folder, 'blueprint.yaml'), text)
  const exitCode = await run(['blueprints', 'lint', folder, ...options], environment, installedParts, '0')
  return { exitCode, written: environment.written() }
}

const good = `tosca_definitions_version: cloudify_dsl_1_5
imports: [cloudify/types/types.yaml]
node_templates:
  web:
    type: cloudify.nodes.WebServer
`

test('a sound blueprint has no mistakes', async () => {
  expect(await lint(good)).toEqual({ exitCode: 0, written: 'blueprint.yaml: no mistakes found\n' })
})

test('every mistake is shown in its line, with a caret and what may have been meant', async () => {
  const text = good
    .replace('WebServer', 'WebServr')
    .replace('node_templates', 'inputs: {port: {type: integr}}\nnode_templates')
  const { exitCode, written } = await lint(text)
  expect(exitCode).toBe(1)
  expect(
    written,
  ).toContain(`blueprint.yaml:6:11 error 7: Could not find the node type 'cloudify.nodes.WebServr'.
  6 |     type: cloudify.nodes.WebServr
                ^
  in node_templates.web.type`)
  expect(written).toContain('did you mean: cloudify.nodes.WebServer')
  expect(written).toContain('did you mean: integer')
  expect(written).toContain('2 errors')
})

test('--json gives the mistakes as data', async () => {
  const { written } = await lint(good.replace('WebServer', 'WebServr'), '--json')
  expect(JSON.parse(written)).toMatchObject([
    { severity: 'error', code: 7, file: 'blueprint.yaml', line: 5, suggestion: 'cloudify.nodes.WebServer' },
  ])
})
