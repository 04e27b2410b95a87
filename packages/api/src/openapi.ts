import { IsObject, type TObject, type TSchema } from 'typebox'
import type { FieldTable } from './list/field-table.ts'
import { type ApiVersion, type Route, tokenCookie } from './routes/route.ts'
import { ErrorShape } from './shapes/common.ts'
import { routesOf } from './versions/routes-of.ts'
import { visibilityQuery } from './visibility.ts'

type Json = Readonly<Record<string, unknown>>

/** The OpenAPI 3.1 description of what a version of the API serves. */
export function openapi(version: ApiVersion): Json {
  const shapes = new Map<string, Json>()
  const paths: Record<string, Record<string, Json>> = {}
  for (const { name, route, hasTenants } of routesOf(version)) {
    const path = templatePath(version, route)
    const item = paths[path] ?? {}
    item[route.method.toLowerCase()] = operation(name, route, path, hasTenants, shapes)
    paths[path] = item
  }
  const error = named(ErrorShape, shapes)
  return {
    openapi: '3.1.0',
    info: { title: 'Tutti', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    paths,
    components: {
      schemas: Object.fromEntries([...shapes].sort(([a], [b]) => a.localeCompare(b))),
      responses: { Error: { description: 'Error', content: { 'application/json': { schema: error } } } },
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic' },
        token: { type: 'apiKey', in: 'header', name: 'Authentication-Token' },
        cookie: { type: 'apiKey', in: 'cookie', name: tokenCookie },
      },
    },
    security: [{ basic: [] }, { token: [] }],
  }
}

const templatePath = (version: ApiVersion, route: Route): string =>
  (route.base === 'root' ? '' : `/api/${version}`) +
  route.path.replaceAll(/:(\w+)/g, '{$1}').replace(/\*$/, '{path}')

function operation(
  name: string,
  route: Route,
  path: string,
  hasTenants: boolean,
  shapes: Map<string, Json>,
): Json {
  return {
    operationId: name,
    summary: route.summary,
    tags: [route.path.split('/')[1]],
    parameters: parameters(route, path, hasTenants),
    ...security(route),
    ...(route.body === undefined ? {} : { requestBody: requestBody(route.body, shapes) }),
    responses: {
      [route.status]: success(route, shapes),
      default: { $ref: '#/components/responses/Error' },
    },
    'x-permission': route.permission,
    'x-reach': route.reach,
    'x-since': route.since,
    'x-built': route.built,
  }
}

function security({ permission, credentials }: Route): Json {
  if (permission === 'anonymous') return { security: [] }
  if (permission === 'optional') return { security: [{}, { basic: [] }, { token: [] }] }
  return credentials === 'cookie' ? { security: [{ cookie: [] }] } : {}
}

function parameters(route: Route, path: string, hasTenants: boolean): readonly Json[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const header = { name: 'Tenant', in: 'header', required: true, schema: { type: 'string' } }
  const isCreation = typeof route.body === 'object' && 'private_resource' in route.body.properties
  const queried = { ...route.query?.properties, ...(isCreation && visibilityQuery.properties) }
  const own = Object.entries(queried).map(([name, schema]) => inQuery(name, schema))
  const common =
    route.list === undefined ? [] : [...listParameters, ...filterParameters(route.list.extraFilters)]
  return [...inPath, ...(route.tenant === 'required' && hasTenants ? [header] : []), ...common, ...own]
}

const inQuery = (name: string, schema: unknown): Json => ({ name, in: 'query', required: false, schema })

/** docs/reference/rest-conventions.md, "Lists" */
const listParameters: readonly Json[] = [
  inQuery('_include', { type: 'string', description: 'Comma-separated fields to answer' }),
  inQuery('_sort', {
    type: 'array',
    items: { type: 'string' },
    description: 'Field, descending with a leading -',
  }),
  inQuery('_size', { type: 'integer', minimum: 0 }),
  inQuery('_offset', { type: 'integer', minimum: 0 }),
  inQuery('_range', { type: 'string', description: 'FIELD,START,END; a bound may be empty' }),
  inQuery('_search', { type: 'string' }),
  inQuery('_all_tenants', { type: 'boolean' }),
]

/** Filters that are no fields of the answer. */
const filterParameters = (filters: FieldTable['extraFilters']): readonly Json[] =>
  Object.entries(filters).map(([name, kind]) => inQuery(name, { type: kind }))

const binary = { type: 'string', contentMediaType: 'application/octet-stream' }

function requestBody(body: TObject | 'archive', shapes: Map<string, Json>): Json {
  if (body !== 'archive') return { content: { 'application/json': { schema: named(body, shapes) } } }
  const multipart = {
    type: 'object',
    properties: { params: { type: 'string' }, blueprint_archive: binary },
  }
  return {
    content: {
      'application/octet-stream': { schema: binary },
      'multipart/form-data': { schema: multipart },
    },
  }
}

function success(route: Route, shapes: Map<string, Json>): Json {
  if (route.response === 'empty') return { description: 'Done' }
  if (route.response === 'file') {
    return { description: 'The file', content: { 'application/octet-stream': { schema: binary } } }
  }
  return { description: 'OK', content: { 'application/json': { schema: named(route.response, shapes) } } }
}

/** The schema with every titled object in it moved to the components. */
function named(schema: TSchema, shapes: Map<string, Json>): Json {
  const inner = mapObject(schema, shapes)
  const title = IsObject(schema) && 'title' in schema ? schema.title : undefined
  if (typeof title !== 'string') return inner
  shapes.set(title, inner)
  return { $ref: `#/components/schemas/${title}` }
}

const mapObject = (schema: object, shapes: Map<string, Json>): Json =>
  Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, mapValue(value, shapes)]))

function mapValue(value: unknown, shapes: Map<string, Json>): unknown {
  if (Array.isArray(value)) return value.map((item) => mapValue(item, shapes))
  return typeof value === 'object' && value !== null ? named(value, shapes) : value
}
