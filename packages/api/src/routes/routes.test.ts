import { expect, test } from 'vitest'
import {
  apiVersions,
  builtRoutes,
  defaultPermissions,
  hasRoute,
  openapi,
  type Route,
  routes,
} from '../index.ts'

const all = Object.entries(routes)

test('every permission of a route is in the matrix', () => {
  for (const [name, { permission }] of all) {
    if (['anonymous', 'optional', 'authenticated'].includes(permission)) continue
    expect(defaultPermissions, name).toHaveProperty(permission)
  }
})

test('no two routes claim the same method and path', () => {
  const claims = all.flatMap(([, route]: [string, Route]) =>
    [route.path, ...(route.aliases ?? [])].map((path) => `${route.method} ${path.replaceAll(/:\w+/g, ':')}`),
  )
  expect(claims.filter((claim, index) => claims.indexOf(claim) !== index)).toEqual([])
})

test('a route whose tenant is in the path has it there', () => {
  for (const [name, route] of all) {
    if (route.tenant === 'path') expect(route.path, name).toContain(':tenant_name')
  }
})

test('versions have the routes of those before them', () => {
  expect(hasRoute('v3.1', 'v2')).toBe(true)
  expect(hasRoute('v2', 'v3')).toBe(false)
})

test('the OpenAPI page of a version has its routes and only resolvable references', () => {
  for (const version of apiVersions) {
    const page = openapi(version)
    const text = JSON.stringify(page)
    const schemas = (page as { components: { schemas: object } }).components.schemas
    for (const [, name = ''] of text.matchAll(/#\/components\/schemas\/(\w+)/g)) {
      expect(schemas).toHaveProperty(name)
    }
    for (const [name, { since }] of Object.entries<Route>(builtRoutes)) {
      expect(text.includes(`"operationId":"${name}"`), `${name} in ${version}`).toBe(hasRoute(version, since))
    }
  }
  expect(openapi('v3.1')).toMatchObject({
    paths: {
      '/api/v3.1/blueprints/{blueprint_id}': {
        get: { responses: { 200: {}, default: { $ref: '#/components/responses/Error' } } },
        put: { responses: { 201: {} } },
        delete: { responses: { 204: {} } },
      },
      '/resources/{path}': { get: {} },
    },
  })
  expect(openapi('v2')).toMatchObject({
    paths: { '/api/v2/blueprints/{blueprint_id}': { delete: { responses: { 200: {} } } } },
  })
})
