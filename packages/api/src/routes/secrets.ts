import { Type } from 'typebox'
import { creationOverrides, JsonObject, ListOf, Nullable, newVisibility } from '../shapes/common.ts'
import {
  ExportedSecret,
  exportedSecretFields,
  Secret,
  SecretItem,
  SecretsImport,
  secretFields,
  secretItemFields,
} from '../shapes/secret.ts'
import { SetVisibility } from './blueprints.ts'
import { route } from './route.ts'

/** docs/reference/secrets.md, "Writing". A value that is no text needs a schema that it fits. */
export const SecretCreate = Type.Object({
  value: Type.Unknown(),
  update_if_exists: Type.Optional(Nullable(Type.Boolean())),
  is_hidden_value: Type.Optional(Nullable(Type.Boolean())),
  ...newVisibility,
  schema: Type.Optional(Nullable(JsonObject)),
  provider_name: Type.Optional(Nullable(Type.String())),
  provider_options: Type.Optional(Nullable(JsonObject)),
  ...creationOverrides,
})

export const SecretPatch = Type.Object({
  value: Type.Optional(Type.Unknown()),
  visibility: Type.Optional(Nullable(Type.String())),
  is_hidden_value: Type.Optional(Nullable(Type.Boolean())),
  creator: Type.Optional(Nullable(Type.String())),
  provider_name: Type.Optional(Nullable(Type.String())),
  provider_options: Type.Optional(Nullable(JsonObject)),
})

export const SecretsImportBody = Type.Object({
  secrets_list: Type.Array(Type.Unknown()),
  override_collisions: Type.Boolean(),
  passphrase: Type.Optional(Nullable(Type.String())),
  tenant_map: Type.Optional(Nullable(Type.Record(Type.String(), Type.String()))),
  /** The older name of the same. */
  tenant_map_dict: Type.Optional(Nullable(Type.Record(Type.String(), Type.String()))),
})

export const secretRoutes = {
  'secrets.list': route({
    method: 'GET',
    path: '/secrets',
    since: 'v3',
    permission: 'secret_list',
    allTenants: true,
    summary: 'List secrets, without their values',
    list: secretItemFields,
    response: ListOf(SecretItem),
    status: 200,
  }),
  'secrets.get': route({
    method: 'GET',
    path: '/secrets/:secret_key',
    since: 'v3',
    permission: 'secret_get',
    summary: 'Get a secret with its value',
    fields: secretFields,
    query: Type.Object({ _skip_value: Type.Optional(Type.Boolean()) }),
    response: Secret,
    status: 200,
  }),
  'secrets.create': route({
    method: 'PUT',
    path: '/secrets/:secret_key',
    since: 'v3',
    permission: 'secret_create',
    summary: 'Create a secret, or change its value',
    fields: secretFields,
    body: SecretCreate,
    response: Secret,
    status: 200,
  }),
  'secrets.update': route({
    method: 'PATCH',
    path: '/secrets/:secret_key',
    since: 'v3',
    permission: 'secret_update',
    summary: 'Change a secret',
    fields: secretFields,
    body: SecretPatch,
    response: Secret,
    status: 200,
  }),
  'secrets.delete': route({
    method: 'DELETE',
    path: '/secrets/:secret_key',
    since: 'v3',
    permission: 'secret_delete',
    summary: 'Delete a secret',
    response: 'empty',
    status: 204,
  }),
  'secrets.setVisibility': route({
    method: 'PATCH',
    path: '/secrets/:secret_key/set-visibility',
    since: 'v3',
    permission: 'secret_update',
    summary: 'Widen who can see a secret',
    fields: secretFields,
    body: SetVisibility,
    response: Secret,
    status: 200,
  }),
  'secrets.setGlobal': route({
    method: 'PATCH',
    path: '/secrets/:secret_key/set-global',
    since: 'v3',
    permission: 'resource_set_global',
    reach: 'manager',
    summary: 'Make a secret visible to every tenant',
    fields: secretFields,
    response: Secret,
    status: 200,
  }),
  'secrets.export': route({
    method: 'GET',
    path: '/secrets/share/export',
    since: 'v3',
    permission: 'secret_export',
    allTenants: true,
    summary: 'Export secrets with their values, encrypted under a passphrase where one is given',
    fields: exportedSecretFields,
    query: Type.Object({
      _passphrase: Type.Optional(Type.String()),
      visibility: Type.Optional(Type.String()),
      _search: Type.Optional(Type.String()),
      _all_tenants: Type.Optional(Type.Boolean()),
      _include_metadata: Type.Optional(Type.Boolean()),
    }),
    response: Type.Array(ExportedSecret),
    status: 200,
  }),
  'secrets.import': route({
    method: 'POST',
    path: '/secrets/share/import',
    since: 'v3',
    permission: 'secret_import',
    summary: 'Import what an export wrote',
    body: SecretsImportBody,
    response: SecretsImport,
    status: 200,
  }),
} as const
