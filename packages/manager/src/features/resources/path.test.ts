import { array, assert, constantFrom, property } from 'fast-check'
import { expect, test } from 'vitest'
import { parseResourcePath } from './path.ts'

test('a path names the kind, the tenant, the owner and the file', () => {
  expect(parseResourcePath('blueprints/default_tenant/app/scripts/start.sh')).toEqual({
    kind: 'blueprints',
    tenantName: 'default_tenant',
    id: 'app',
    segments: ['scripts', 'start.sh'],
  })
  expect(parseResourcePath('deployments/t/d//folder/')).toMatchObject({ segments: ['folder'] })
})

test('other paths lead nowhere', () => {
  for (const path of ['', 'blueprints', 'blueprints/t', 'plugins/t/p/x', '../blueprints/t/b']) {
    expect(parseResourcePath(path), path).toBeUndefined()
  }
})

test('whatever its parts, no path leaves its folder', () => {
  const part = constantFrom('a', '..', '.', '', 'b\0c', '...', '..a')
  assert(
    property(array(part, { maxLength: 6 }), (parts) => {
      const path = parseResourcePath(['blueprints', 't', ...parts].join('/'))
      if (path === undefined) return
      expect([path.id, ...path.segments].every((name) => /^(a|\.\.\.|\.\.a)$/.test(name))).toBe(true)
    }),
  )
})
