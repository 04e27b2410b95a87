import type { Static, TObject, TSchema } from 'typebox'
import { agentRoutes } from './agents.ts'
import { auditRoutes } from './audit.ts'
import { blueprintRoutes } from './blueprints.ts'
import { clusterRoutes } from './cluster.ts'
import { configRoutes } from './config.ts'
import { dependencyRoutes } from './dependencies.ts'
import { deploymentGroupRoutes } from './deployment-groups.ts'
import { deploymentModificationRoutes } from './deployment-modifications.ts'
import { deploymentUpdateRoutes } from './deployment-updates.ts'
import { deploymentRoutes } from './deployments.ts'
import { evaluationRoutes } from './evaluation.ts'
import { eventRoutes } from './events.ts'
import { executionGroupRoutes } from './execution-groups.ts'
import { executionRoutes } from './executions.ts'
import { filterRoutes } from './filters.ts'
import { labelRoutes } from './labels.ts'
import { ldapRoutes } from './ldap.ts'
import { licenseRoutes } from './license.ts'
import { maintenanceRoutes } from './maintenance.ts'
import { managerRoutes } from './manager.ts'
import { nodeInstanceRoutes } from './node-instances.ts'
import { nodeRoutes } from './nodes.ts'
import { operationRoutes } from './operations.ts'
import { permissionRoutes } from './permissions.ts'
import { pluginRoutes } from './plugins.ts'
import { resourceRoutes } from './resources.ts'
import type { Route } from './route.ts'
import { searchRoutes } from './searches.ts'
import { secretRoutes } from './secrets.ts'
import { secretsProviderRoutes } from './secrets-providers.ts'
import { siteRoutes } from './sites.ts'
import { summaryRoutes } from './summaries.ts'
import { tenantRoutes } from './tenants.ts'
import { tokenRoutes } from './tokens.ts'
import { unbuiltRoutes } from './unbuilt.ts'
import { userGroupRoutes } from './user-groups.ts'
import { userRoutes } from './users.ts'

/** The endpoints that work. Handlers of the manager and methods of the client are keyed by these names. */
export const builtRoutes = {
  ...managerRoutes,
  ...configRoutes,
  ...clusterRoutes,
  ...maintenanceRoutes,
  ...licenseRoutes,
  ...auditRoutes,
  ...tokenRoutes,
  ...userRoutes,
  ...tenantRoutes,
  ...userGroupRoutes,
  ...permissionRoutes,
  ...ldapRoutes,
  ...blueprintRoutes,
  ...pluginRoutes,
  ...deploymentRoutes,
  ...evaluationRoutes,
  ...dependencyRoutes,
  ...deploymentModificationRoutes,
  ...deploymentUpdateRoutes,
  ...executionRoutes,
  ...deploymentGroupRoutes,
  ...executionGroupRoutes,
  ...eventRoutes,
  ...nodeRoutes,
  ...nodeInstanceRoutes,
  ...agentRoutes,
  ...operationRoutes,
  ...resourceRoutes,
  ...siteRoutes,
  ...secretRoutes,
  ...secretsProviderRoutes,
  ...labelRoutes,
  ...filterRoutes,
  ...searchRoutes,
  ...summaryRoutes,
} as const satisfies Readonly<Record<string, Route>>

export type RouteName = keyof typeof builtRoutes

/** Every endpoint of the specification, built or not. */
export const routes: Readonly<Record<string, Route>> = { ...builtRoutes, ...unbuiltRoutes }

type RouteOf<Name extends RouteName> = (typeof builtRoutes)[Name]

type Parameters<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [Key in Name]: string } & Parameters<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? { readonly [Key in Name]: string }
    : Path extends `${string}*`
      ? { readonly '*': string }
      : unknown

/** The parameters of the path. */
export type RouteParams<Name extends RouteName> = Parameters<RouteOf<Name>['path']>

/** The query parameters that the endpoint reads besides those of lists. */
export type RouteQuery<Name extends RouteName> =
  RouteOf<Name> extends { readonly query: infer Query extends TObject } ? Static<Query> : unknown

export type RouteBody<Name extends RouteName> =
  RouteOf<Name> extends { readonly body: infer Body }
    ? Body extends TObject
      ? Static<Body>
      : 'archive'
    : undefined

export type RouteResponse<Name extends RouteName> = RouteOf<Name>['response'] extends infer Response
  ? Response extends 'empty'
    ? undefined
    : Response extends 'file'
      ? 'file'
      : Response extends TSchema
        ? Static<Response>
        : never
  : never

/** The names of the endpoints that list a resource with the common list parameters. */
export type ListRouteName = {
  [Name in RouteName]: RouteOf<Name> extends { readonly method: 'GET'; readonly list: object } ? Name : never
}[RouteName]

/** The names of all endpoints that read the common list parameters, to list, to count or to delete. */
export type QueriedRouteName = {
  [Name in RouteName]: RouteOf<Name> extends { readonly list: object } ? Name : never
}[RouteName]

/** What one item of a list is. */
export type RouteItem<Name extends RouteName> =
  RouteResponse<Name> extends { items: (infer Item)[] } ? Item : never
