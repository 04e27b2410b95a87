import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { type Route, routes } from '@tutti/api'
import { expect, test } from 'vitest'

/** A request that a method of the Python client sends (tests/client_requests.py). */
type Sent = {
  readonly name: string
  readonly method: Route['method']
  readonly path: string
  readonly base: Route['base']
  readonly status: readonly number[]
  readonly query: readonly string[]
  readonly body: readonly string[]
  readonly isRaw: boolean
  readonly isStream: boolean
}

const sent: readonly Sent[] = JSON.parse(
  execFileSync('python3', ['-m', 'tests.client_requests'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
  }),
)

/** Requests of the client that this API does not answer, and why. */
const withoutRoute: Readonly<Record<string, string>> = {
  'ExecutionsClient.should_start': 'the manager starts what is queued itself',
  'InterDeploymentDependencyClient.legacy_restore': 'for snapshots of managers before 5.1',
  'DeploymentUpdatesClient.bulk_insert': 'deployment updates are not built yet',
  'LogBundlesClient._upload': 'log bundles are not built yet',
  'ResourcesClient.get_file': 'the path is the argument',
  'ResourcesClient._upload': 'workers keep the folders of deployments',
  'ResourcesClient._upload_file': 'workers keep the folders of deployments',
  'ResourcesClient._delete_file': 'workers keep the folders of deployments',
}

/** Routes that the client does not reach, and why. */
const withoutMethod: Readonly<Record<string, string>> = {
  'plugins.setGlobal': 'set_global() is a set-visibility',
  'blueprints.setGlobal': 'set_global() is a set-visibility',
  'secrets.setGlobal': 'set_global() is a set-visibility',
  'deploymentUpdates.initiateByPut': 'sent as POST',
  'PUT /plugins-updates/:id/update/initiate': 'sent as POST',
  'cluster.get': 'of managers before 5.0',
  'cluster.join': 'of managers before 5.0',
  'cluster.configure': 'of managers before 5.0',
  'clusterNodes.list': 'of managers before 5.0',
  'clusterNodes.get': 'of managers before 5.0',
  'clusterNodes.add': 'of managers before 5.0',
  'clusterNodes.delete': 'of managers before 5.0',
  'managers.get': 'get_managers(hostname) lists it',
  'labels.deploymentGroups.keys': 'the client has labels of deployments and blueprints only',
  'labels.deploymentGroups.values': 'the client has labels of deployments and blueprints only',
  'deployments.verify': 'beyond the reference',
  'ldap.remove': 'the client sets it only',
  'operations.act': 'for the web console',
  'ok.get': 'for load balancers',
  'metrics.get': 'for Prometheus',
  'monitoring.authorize': 'for a proxy in front of the manager',
  'resources.authorize': 'for a proxy in front of the manager',
}

/** What the client sends besides what a route takes, and why. */
const ignored: Readonly<Record<string, string>> = {
  'DeploymentsClient.create {sub_environments_count}': 'counted by the manager',
  'DeploymentsClient.create {sub_environments_status}': 'counted by the manager',
  'DeploymentsClient.create {sub_services_count}': 'counted by the manager',
  'DeploymentsClient.create {sub_services_status}': 'counted by the manager',
  'DeploymentsClient.update_labels {created_at}': 'each label says when it was made',
  'ResourcesClient._open ?archive': 'workers keep the folders of deployments',
  'SecretsProvidersClient._update {name}': 'it is in the path too',
}

/** `/a/:b` and `/a/{b}` as one. */
const shape = (path: string) => path.replaceAll(/:\w+|{\w+}/g, ':').replace(/\*$/, '**')

const claims = Object.entries(routes).flatMap(([name, route]) =>
  [route.path, ...(route.aliases ?? [])].map((path) => ({ name, route, key: `${route.method} ${shape(path)}` })),
)

/** The route that has the path itself, else one whose parameter takes what the client says itself. */
function routeOf({ method, path }: Sent) {
  const key = `${method} ${shape(path)}`
  return (
    claims.find((claim) => claim.key === key) ??
    claims.find((claim) => new RegExp(`^${claim.key.replaceAll('**', '.*').replaceAll(/:/g, '[^/:]+')}$`).test(key))
  )
}

test('every request of the client has a route', () => {
  const missing = sent.filter((request) => routeOf(request) === undefined).map(({ name }) => name)
  expect(missing.sort()).toEqual(Object.keys(withoutRoute).sort())
})

test('every route is reached by the client', () => {
  const reached = new Set(sent.map((request) => routeOf(request)?.name))
  const missing = Object.keys(routes).filter((name) => !reached.has(name))
  expect(missing.sort()).toEqual(Object.keys(withoutMethod).sort())
})

test('routes take what the client sends, and get what they need', () => {
  const faults = sent.flatMap((request) => {
    const route: Route | undefined = routeOf(request)?.route
    if (route === undefined || !route.built) return []
    const body = typeof route.body === 'object' ? route.body : undefined
    const query = new Set([
      ...Object.keys(route.query?.properties ?? {}),
      ...Object.keys({ ...route.list?.fields, ...route.list?.extraFilters }),
      ...['_include', '_size', '_offset', '_all_tenants'],
      ...(route.list === undefined ? [] : ['_sort', '_search', '_filter_id', '_range', 'message.text']),
    ])
    return [
      ...request.query.filter((name) => !query.has(name)).map((name) => `?${name}`),
      ...(route.body === 'archive' ? [] : request.body)
        .filter((name) => !Object.hasOwn(body?.properties ?? {}, name))
        .map((name) => `{${name}}`),
      ...(body?.required ?? []).filter((name) => !request.body.includes(name)).map((name) => `without ${name}`),
      ...(request.status.includes(route.status) ? [] : [`answers ${route.status}`]),
      ...((route.response === 'file') === request.isStream ? [] : ['is a file, or not']),
      ...(route.base === request.base ? [] : [`is below ${route.base}`]),
    ].map((fault) => `${request.name} ${fault}`)
  })
  expect(faults.sort()).toEqual(Object.keys(ignored).sort())
})
