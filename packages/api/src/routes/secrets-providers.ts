import { Type } from 'typebox'
import { creationOverrides, JsonObject, ListOf, Nullable, newVisibility } from '../shapes/common.ts'
import { SecretsProvider, secretsProviderFields } from '../shapes/secret.ts'
import { route } from './route.ts'

export const SecretsProviderPut = Type.Object({
  name: Type.Optional(Nullable(Type.String())),
  type: Type.Optional(Nullable(Type.String())),
  ...newVisibility,
  connection_parameters: Type.Optional(Nullable(JsonObject)),
  /** Only look whether it can be reached. */
  test: Type.Optional(Nullable(Type.Boolean())),
  ...creationOverrides,
})

export const SecretsProviderPatch = Type.Object({
  type: Type.Optional(Nullable(Type.String())),
  visibility: Type.Optional(Nullable(Type.String())),
  connection_parameters: Type.Optional(Nullable(JsonObject)),
})

/** docs/reference/secrets.md, "Secrets providers". */
export const secretsProviderRoutes = {
  'secretsProviders.list': route({
    method: 'GET',
    path: '/secrets-providers',
    since: 'v3.1',
    permission: 'secrets_provider_list',
    allTenants: true,
    summary: 'List secrets providers',
    list: secretsProviderFields,
    response: ListOf(SecretsProvider),
    status: 200,
  }),
  'secretsProviders.get': route({
    method: 'GET',
    path: '/secrets-providers/:provider_name',
    since: 'v3.1',
    permission: 'secrets_provider_get',
    summary: 'Get a secrets provider',
    response: SecretsProvider,
    status: 200,
  }),
  'secretsProviders.create': route({
    method: 'PUT',
    path: '/secrets-providers',
    since: 'v3.1',
    permission: 'secrets_provider_create',
    summary: 'Create a secrets provider, or test whether one can be reached',
    body: SecretsProviderPut,
    response: SecretsProvider,
    status: 200,
  }),
  'secretsProviders.update': route({
    method: 'PATCH',
    path: '/secrets-providers/:provider_name',
    since: 'v3.1',
    permission: 'secrets_provider_update',
    summary: 'Change a secrets provider',
    body: SecretsProviderPatch,
    response: SecretsProvider,
    status: 200,
  }),
  'secretsProviders.delete': route({
    method: 'DELETE',
    path: '/secrets-providers/:provider_name',
    since: 'v3.1',
    permission: 'secrets_provider_delete',
    summary: 'Delete a secrets provider',
    response: 'empty',
    status: 204,
  }),
} as const
