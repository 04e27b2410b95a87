import { Type } from 'typebox'
import { Blueprint, blueprintFields } from '../shapes/blueprint.ts'
import {
  creationOverrides,
  Description,
  JsonObject,
  ListOf,
  Nullable,
  newVisibility,
} from '../shapes/common.ts'
import { RecordedPlan } from '../shapes/recorded.ts'
import { route } from './route.ts'

/**
 * Parameters of an upload: in the query, or in the multipart field `params` as JSON
 * (docs/reference/blueprints.md, "Upload"). `labels` is `k=v,k2=v2` or a list.
 */
export const BlueprintUpload = Type.Object({
  application_file_name: Type.Optional(Nullable(Type.String())),
  blueprint_archive_url: Type.Optional(Nullable(Type.String())),
  ...newVisibility,
  labels: Type.Optional(Nullable(Type.Unknown())),
  async_upload: Type.Optional(Nullable(Type.Boolean())),
  /** Nothing reads the archive: what is in it is said afterwards, as of one that was uploaded elsewhere. */
  skip_execution: Type.Optional(Nullable(Type.Boolean())),
  state: Type.Optional(Nullable(Type.String())),
  requirements: Type.Optional(Nullable(Type.Unknown())),
  ...creationOverrides,
})

/** How an upload went; the plan and what else it makes of the archive are for those who restore a blueprint. */
export const BlueprintPatch = Type.Object(
  {
    labels: Type.Optional(Type.Array(Type.Unknown())),
    visibility: Type.Optional(Type.String()),
    description: Type.Optional(Nullable(Description)),
    main_file_name: Type.Optional(Nullable(Type.String())),
    state: Type.Optional(Nullable(Type.String())),
    error: Type.Optional(Nullable(Type.String())),
    error_traceback: Type.Optional(Nullable(Type.String())),
    creator: Type.Optional(Type.String()),
    created_at: Type.Optional(Nullable(Type.String())),
    plan: Type.Optional(Nullable(RecordedPlan)),
    requirements: Type.Optional(Nullable(JsonObject)),
    is_hidden: Type.Optional(Nullable(Type.Boolean())),
  },
  { additionalProperties: false, minProperties: 1 },
)

export const SetVisibility = Type.Object({ visibility: Type.String() })

export const blueprintRoutes = {
  'blueprints.list': route({
    method: 'GET',
    path: '/blueprints',
    permission: 'blueprint_list',
    allTenants: true,
    summary: 'List blueprints',
    list: blueprintFields,
    response: ListOf(Blueprint),
    status: 200,
  }),
  'blueprints.get': route({
    method: 'GET',
    path: '/blueprints/:blueprint_id',
    permission: 'blueprint_get',
    summary: 'Get a blueprint',
    response: Blueprint,
    status: 200,
  }),
  'blueprints.upload': route({
    method: 'PUT',
    path: '/blueprints/:blueprint_id',
    permission: 'blueprint_upload',
    summary: 'Upload a blueprint archive',
    query: BlueprintUpload,
    body: 'archive',
    response: Blueprint,
    status: 201,
  }),
  'blueprints.validate': route({
    method: 'PUT',
    path: '/blueprints/:blueprint_id/validate',
    since: 'v3.1',
    permission: 'blueprint_upload',
    summary:
      'Check a blueprint archive without storing it: 204 when it is valid, 201 while that takes longer',
    query: BlueprintUpload,
    body: 'archive',
    response: Blueprint,
    status: 201,
  }),
  'blueprints.update': route({
    method: 'PATCH',
    path: '/blueprints/:blueprint_id',
    since: 'v3.1',
    permission: 'blueprint_upload',
    summary: 'Change the labels or the owner of a blueprint',
    body: BlueprintPatch,
    response: Blueprint,
    status: 200,
  }),
  'blueprints.setIcon': route({
    method: 'PATCH',
    path: '/blueprints/:blueprint_id/icon',
    since: 'v3.1',
    permission: 'blueprint_upload',
    summary: 'Set the icon of a blueprint, a PNG image; an empty body removes it',
    body: 'archive',
    response: Blueprint,
    status: 200,
  }),
  'blueprints.delete': route({
    method: 'DELETE',
    path: '/blueprints/:blueprint_id',
    permission: 'blueprint_delete',
    summary: 'Delete a blueprint',
    query: Type.Object({ force: Type.Optional(Type.Boolean()) }),
    response: 'empty',
    status: 204,
  }),
  'blueprints.download': route({
    method: 'GET',
    path: '/blueprints/:blueprint_id/archive',
    permission: 'blueprint_download',
    summary: 'Download the archive of a blueprint',
    response: 'file',
    status: 200,
  }),
  'blueprints.setVisibility': route({
    method: 'PATCH',
    path: '/blueprints/:blueprint_id/set-visibility',
    since: 'v3.1',
    permission: 'resource_set_visibility',
    summary: 'Widen who can see a blueprint',
    body: SetVisibility,
    response: Blueprint,
    status: 200,
  }),
  'blueprints.setGlobal': route({
    method: 'PATCH',
    path: '/blueprints/:blueprint_id/set-global',
    since: 'v3',
    permission: 'resource_set_global',
    reach: 'manager',
    summary: 'Make a blueprint visible to every tenant',
    response: Blueprint,
    status: 200,
  }),
} as const
