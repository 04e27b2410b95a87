import { Type } from 'typebox'
import { JsonObject, ListOf, Nullable } from '../shapes/common.ts'
import { Dependency, dependencyFields } from '../shapes/dependency.ts'
import { route } from './route.ts'

const text = Type.Optional(Nullable(Type.String()))

/** What a deployment depends on, besides which deployment that is (spec/rest-facts-a.md 10). */
const target = {
  dependency_creator: Type.String(),
  target_deployment: text,
  target_deployment_func: Type.Optional(Nullable(Type.Unknown())),
  external_source: Type.Optional(Nullable(JsonObject)),
  external_target: Type.Optional(Nullable(JsonObject)),
  id: text,
  visibility: text,
  created_at: text,
  created_by: text,
}

const Many = Type.Array(Type.Object({ ...target, target_deployment_id: text }))

const Ids = ListOf(Type.Object({ id: Type.String() }))

export const dependencyRoutes = {
  'dependencies.list': route({
    method: 'GET',
    path: '/deployments/inter-deployment-dependencies',
    since: 'v3.1',
    permission: 'inter_deployment_dependency_list',
    summary: 'List which deployments depend on which',
    list: dependencyFields,
    response: ListOf(Dependency),
    status: 200,
  }),
  'dependencies.create': route({
    method: 'PUT',
    path: '/deployments/inter-deployment-dependencies',
    since: 'v3.1',
    permission: 'inter_deployment_dependency_create',
    summary: 'Record that a deployment depends on another',
    body: Type.Object({ ...target, source_deployment: text }),
    response: Dependency,
    status: 200,
  }),
  'dependencies.add': route({
    method: 'POST',
    path: '/deployments/inter-deployment-dependencies',
    since: 'v3.1',
    permission: 'inter_deployment_dependency_create',
    summary: 'Record several dependencies of a deployment',
    body: Type.Object({ source_deployment_id: Type.String(), inter_deployment_dependencies: Many }),
    response: Ids,
    status: 200,
  }),
  'dependencies.replace': route({
    method: 'PUT',
    path: '/deployments/:deployment_id/inter-deployment-dependencies',
    since: 'v3.1',
    permission: 'inter_deployment_dependency_create',
    summary: 'Make these the dependencies of a deployment, in place of all that it had',
    body: Type.Object({ inter_deployment_dependencies: Many }),
    response: Ids,
    status: 200,
  }),
  'dependencies.delete': route({
    method: 'DELETE',
    path: '/deployments/inter-deployment-dependencies',
    since: 'v3.1',
    permission: 'inter_deployment_dependency_delete',
    summary: 'Forget that a deployment depends on another',
    body: Type.Object({
      dependency_creator: Type.String(),
      source_deployment: text,
      target_deployment: text,
      target_deployment_func: Type.Optional(Nullable(Type.Unknown())),
      external_source: Type.Optional(Nullable(JsonObject)),
      external_target: Type.Optional(Nullable(JsonObject)),
      is_component_deletion: Type.Optional(Type.Boolean()),
    }),
    response: 'empty',
    status: 204,
  }),
} as const
