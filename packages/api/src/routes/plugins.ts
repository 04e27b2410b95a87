import { Type } from 'typebox'
import { JsonObject, ListOf, Nullable, newVisibility } from '../shapes/common.ts'
import { Plugin, pluginFields } from '../shapes/plugin.ts'
import { SetVisibility } from './blueprints.ts'
import { route } from './route.ts'

const text = Type.Optional(Nullable(Type.String()))

/** Parameters of an upload: in the query, or as JSON without an archive (docs/reference/plugins.md, "Upload"). */
export const PluginUpload = Type.Object({
  plugin_archive_url: text,
  title: Type.Optional(Nullable(Type.String({ maxLength: 256 }))),
  ...newVisibility,
  /** Those of a plugin that was uploaded elsewhere, as a restored snapshot says them. */
  id: text,
  uploaded_at: text,
  created_by: text,
})

const force = Type.Object({ force: Type.Optional(Nullable(Type.Boolean())) })
const names = Type.Optional(Nullable(Type.Array(Type.String(), { maxItems: 1_000 })))

/** docs/reference/plugins.md */
export const pluginRoutes = {
  'plugins.list': route({
    method: 'GET',
    path: '/plugins',
    permission: 'plugin_list',
    allTenants: true,
    summary: 'List plugins',
    list: pluginFields,
    response: ListOf(Plugin),
    status: 200,
  }),
  'plugins.get': route({
    method: 'GET',
    path: '/plugins/:plugin_id',
    permission: 'plugin_get',
    summary: 'Get a plugin',
    response: Plugin,
    status: 200,
  }),
  'plugins.upload': route({
    method: 'POST',
    path: '/plugins',
    permission: 'plugin_upload',
    summary: 'Upload a wagon, a zip of a wagon with its YAML files, or a caravan, which answers a list',
    query: PluginUpload,
    body: 'archive',
    response: Type.Union([Plugin, ListOf(Plugin)]),
    status: 201,
  }),
  'plugins.install': route({
    method: 'POST',
    path: '/plugins/:plugin_id',
    permission: 'plugin_upload',
    summary:
      'Install a plugin on managers and agents; where none are named, on all managers that run operations',
    body: Type.Object({ action: Type.String(), managers: names, agents: names }),
    response: Plugin,
    status: 200,
  }),
  'plugins.setState': route({
    method: 'PUT',
    path: '/plugins/:plugin_id',
    permission: 'plugin_upload',
    orExecutionToken: true,
    summary: 'Say how the installation of a plugin goes on a manager or an agent',
    body: Type.Object({ state: Type.String(), manager: text, agent: text, error: text }),
    response: Plugin,
    status: 200,
  }),
  'plugins.update': route({
    method: 'PATCH',
    path: '/plugins/:plugin_id',
    permission: 'plugin_upload',
    summary: 'Change the owner of a plugin, or the labels that blueprints get from it',
    body: Type.Object(
      {
        creator: Type.Optional(Type.String()),
        labels: Type.Optional(JsonObject),
        blueprint_labels: Type.Optional(JsonObject),
      },
      { additionalProperties: false, minProperties: 1 },
    ),
    response: Plugin,
    status: 200,
  }),
  'plugins.delete': route({
    method: 'DELETE',
    path: '/plugins/:plugin_id',
    permission: 'plugin_delete',
    summary: 'Delete a plugin',
    query: force,
    body: force,
    response: 'empty',
    status: 204,
  }),
  'plugins.download': route({
    method: 'GET',
    path: '/plugins/:plugin_id/archive',
    permission: 'plugin_download',
    summary: 'Download the wagon of a plugin, or all that came with it as a zip',
    query: Type.Object({ full_archive: Type.Optional(Type.Boolean()) }),
    response: 'file',
    status: 200,
  }),
  'plugins.getYaml': route({
    method: 'GET',
    path: '/plugins/:plugin_id/yaml',
    permission: 'plugin_download',
    summary: 'Download the YAML file of a plugin for a version of the blueprint language',
    query: Type.Object({ dsl_version: Type.Optional(Type.String()) }),
    response: 'file',
    status: 200,
  }),
  'plugins.setVisibility': route({
    method: 'PATCH',
    path: '/plugins/:plugin_id/set-visibility',
    since: 'v3',
    permission: 'resource_set_visibility',
    summary: 'Widen who can see a plugin',
    body: SetVisibility,
    response: Plugin,
    status: 200,
  }),
  'plugins.setGlobal': route({
    method: 'PATCH',
    path: '/plugins/:plugin_id/set-global',
    since: 'v3',
    permission: 'resource_set_global',
    reach: 'manager',
    summary: 'Make a plugin visible to every tenant',
    response: Plugin,
    status: 200,
  }),
} as const
