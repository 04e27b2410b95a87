import { array, assert, constantFrom, property } from 'fast-check'
import { expect, test } from 'vitest'
import { parseResourcePath, pathOfUri } from './path.ts'

test('a path names the kind, the tenant, the owner and the file', () => {
  expect(parseResourcePath('blueprints/default_tenant/app/scripts/start.sh')).toEqual({
    kind: 'owned',
    folder: 'blueprints',
    tenantName: 'default_tenant',
    id: 'app',
    segments: ['scripts', 'start.sh'],
  })
  expect(parseResourcePath('deployments/t/d//folder/')).toMatchObject({ segments: ['folder'] })
})

test('a plugin is named without its tenant', () => {
  expect(parseResourcePath('plugins/p/icon.png')).toEqual({ kind: 'plugin', id: 'p', segments: ['icon.png'] })
  expect(parseResourcePath('plugins')).toBeUndefined()
})

test('other paths lead nowhere', () => {
  for (const path of [
    '',
    'blueprints',
    'blueprints/t',
    'deployments//t/',
    '../blueprints/t/b',
    'spec/../x',
  ]) {
    expect(parseResourcePath(path), path).toBeUndefined()
  }
})

test('what is no tenant’s is every user’s, and packages of agents everybody’s', () => {
  expect(parseResourcePath('spec/cloudify/types.yaml')).toEqual({ kind: 'shared' })
  expect(parseResourcePath('cloudify_agent/agent.tar.gz')).toEqual({ kind: 'public' })
  expect(parseResourcePath('cloudify_agent/../blueprints/t/b')).toBeUndefined()
  expect(parseResourcePath('cloudify_agents/x')).toEqual({ kind: 'shared' })
})

test('another server’s request is read as that one reads it, or not at all', () => {
  const app = { kind: 'owned', folder: 'blueprints', tenantName: 't', id: 'app' }
  for (const uri of [
    '/resources/blueprints/t/app/x',
    '/resources/blueprints/t/app/x?query=/../..',
    '//resources//blueprints/t///app/x',
    '/resources/%62lueprints/t/a%70p/x',
    '/resources/blueprints%2ft%2Fapp/x',
  ]) {
    expect(pathOfUri(uri), uri).toEqual({ ...app, segments: ['x'] })
  }
  // Read once: what is encoded twice is the name of a file.
  expect(pathOfUri('/resources/blueprints/t/app/%252e%252e/x')).toEqual({
    ...app,
    segments: ['%2e%2e', 'x'],
  })
  for (const uri of [
    '',
    'resources/spec/x',
    'http://host/resources/spec/x',
    '/resources',
    '/resources/',
    '/resourcesspec/x',
    '/api/v3.1/blueprints',
    '/x/../resources/spec/x',
    '/resources/spec/../blueprints/t/app',
    '/resources/spec/%2e%2e/blueprints/t/app',
    '/resources/spec/.%2e%2fblueprints/t/app',
    '/resources/spec/./x',
    '/resources/spec#/../blueprints/t/app',
    '/resources/spec\\..\\blueprints',
    '/resources/spec/..%5cblueprints',
    '/resources/spec/x, /resources/spec/y',
    '/resources/spec/%00',
    '/resources/spec/%0d%0a',
    '/resources/spec/%zz',
    '/resources/spec/%ff',
  ]) {
    expect(pathOfUri(uri), uri).toBeUndefined()
  }
})

test('whatever another server got, it is a path below a folder or none', () => {
  const part = constantFrom(
    'resources',
    'deployments',
    't',
    '..',
    '.',
    '',
    '/',
    '%2f',
    '%2e',
    '%',
    '\\',
    'ä',
    '?',
    ' ',
  )
  assert(
    property(array(part, { maxLength: 12 }), constantFrom('', '/'), (parts, separator) => {
      const path = pathOfUri(`/resources/${parts.join(separator)}`)
      if (path?.kind !== 'owned') return
      for (const name of [path.tenantName, path.id, ...path.segments]) {
        expect(name).not.toMatch(/^\.{0,2}$|[/\\\0]/)
      }
    }),
  )
})

test('whatever its parts, no path leaves its folder', () => {
  const part = constantFrom('a', '..', '.', '', 'b\0c', '...', '..a')
  assert(
    property(array(part, { maxLength: 6 }), (parts) => {
      const path = parseResourcePath(['blueprints', 't', ...parts].join('/'))
      if (path?.kind !== 'owned') return
      expect([path.id, ...path.segments].every((name) => /^(a|\.\.\.|\.\.a)$/.test(name))).toBe(true)
    }),
  )
})
