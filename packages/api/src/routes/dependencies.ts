import { type Static, Type } from 'typebox'
import { ListOf, Nullable, newVisibility } from '../shapes/common.ts'
import { Dependency, dependencyFields } from '../shapes/dependency.ts'
import { route } from './route.ts'

const OptionalText = Type.Optional(Nullable(Type.String()))
const External = Type.Optional(Nullable(Type.Record(Type.String(), Type.Unknown())))

/** docs/reference/environments-and-dependencies.md, "Dependencies". The last five are for restored snapshots. */
const described = {
  dependency_creator: Type.String(),
  target_deployment: OptionalText,
  target_deployment_id: OptionalText,
  target_deployment_func: Type.Optional(Type.Unknown()),
  external_target: External,
  id: OptionalText,
  ...newVisibility,
  created_at: OptionalText,
  created_by: OptionalText,
}

/** One of the dependencies of a source that is named once for all. */
export const DescribedDependency = Type.Object({ ...described, external_source: External })
export type DescribedDependency = Static<typeof DescribedDependency>

export const DependencyCreate = Type.Object({
  ...described,
  source_deployment: OptionalText,
  external_source: External,
})

const describedList = Type.Array(DescribedDependency)

const DependencyDelete = Type.Object({
  dependency_creator: Type.Optional(Type.String()),
  source_deployment: OptionalText,
  target_deployment: OptionalText,
  is_component_deletion: Type.Optional(Type.Boolean()),
  external_source: Type.Optional(Type.Unknown()),
  external_target: Type.Optional(Type.Unknown()),
})

const path = '/deployments/inter-deployment-dependencies'
const Created = ListOf(Type.Object({ id: Type.String() }))

export const dependencyRoutes = {
  'dependencies.list': route({
    method: 'GET',
    path,
    since: 'v3.1',
    permission: 'inter_deployment_dependency_list',
    summary: 'List what deployments depend on',
    list: dependencyFields,
    response: ListOf(Dependency),
    status: 200,
  }),
  'dependencies.create': route({
    method: 'PUT',
    path,
    since: 'v3.1',
    permission: 'inter_deployment_dependency_create',
    summary: 'Say that a deployment depends on another one',
    body: DependencyCreate,
    response: Dependency,
    status: 200,
  }),
  'dependencies.restore': route({
    method: 'POST',
    path,
    since: 'v3.1',
    permission: 'inter_deployment_dependency_create',
    summary: 'Add many dependencies of one deployment',
    body: Type.Object({
      source_deployment_id: Type.String(),
      inter_deployment_dependencies: describedList,
    }),
    response: Created,
    status: 200,
  }),
  'dependencies.replace': route({
    method: 'PUT',
    path: '/deployments/:deployment_id/inter-deployment-dependencies',
    since: 'v3.1',
    permission: 'inter_deployment_dependency_create',
    summary: 'Say all that a deployment depends on',
    body: Type.Object({ inter_deployment_dependencies: describedList }),
    response: Created,
    status: 200,
  }),
  'dependencies.delete': route({
    method: 'DELETE',
    path,
    since: 'v3.1',
    permission: 'inter_deployment_dependency_delete',
    summary: 'Forget that a deployment depends on another one; parameters in the query or in the body',
    query: DependencyDelete,
    body: DependencyDelete,
    response: Dependency,
    status: 200,
  }),
} as const
