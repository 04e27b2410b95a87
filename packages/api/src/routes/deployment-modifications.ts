import { Type } from 'typebox'
import { EmptyBody, ListOf, Nullable } from '../shapes/common.ts'
import { DeploymentModification, deploymentModificationFields } from '../shapes/deployment-modification.ts'
import { route } from './route.ts'

const Hint = Type.Optional(Nullable(Type.Array(Type.String(), { maxItems: 200_000 })))

/** docs/reference/deployment-modifications.md */
export const deploymentModificationRoutes = {
  'deploymentModifications.list': route({
    method: 'GET',
    path: '/deployment-modifications',
    since: 'v2',
    permission: 'deployment_modification_list',
    allTenants: true,
    summary: 'List deployment modifications',
    list: deploymentModificationFields,
    response: ListOf(DeploymentModification),
    status: 200,
  }),
  'deploymentModifications.get': route({
    method: 'GET',
    path: '/deployment-modifications/:modification_id',
    since: 'v2',
    permission: 'deployment_modification_get',
    summary: 'Get a deployment modification',
    response: DeploymentModification,
    status: 200,
  }),
  'deploymentModifications.start': route({
    method: 'POST',
    path: '/deployment-modifications',
    since: 'v2',
    permission: 'deployment_modify',
    summary: 'Start to change how many instances of nodes and scaling groups a deployment has',
    body: Type.Object({
      deployment_id: Type.String(),
      /** Of nodes and scaling groups, by name. */
      nodes: Type.Record(
        Type.String(),
        Type.Object({
          /** How many there shall be for each copy of what contains it. */
          instances: Type.Integer({ minimum: 0 }),
          removed_ids_include_hint: Hint,
          removed_ids_exclude_hint: Hint,
        }),
      ),
      context: Type.Optional(Type.Unknown()),
    }),
    response: DeploymentModification,
    status: 201,
  }),
  'deploymentModifications.finish': route({
    method: 'POST',
    path: '/deployment-modifications/:modification_id/finish',
    since: 'v2',
    permission: 'deployment_modification_finish',
    summary: 'End a modification: what it was to remove is removed',
    body: EmptyBody,
    response: DeploymentModification,
    status: 200,
  }),
  'deploymentModifications.rollback': route({
    method: 'POST',
    path: '/deployment-modifications/:modification_id/rollback',
    since: 'v2',
    permission: 'deployment_modification_rollback',
    summary: 'Undo a modification: all node instances are again as they were',
    body: EmptyBody,
    response: DeploymentModification,
    status: 200,
  }),
} as const
