import { type Static, Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { JsonObject, Nullable, ownerFields, Shape, Timestamp } from './common.ts'

/** As lists show it: without its value (docs/reference/secrets.md). */
export const SecretItem = Shape('SecretItem', {
  key: Type.String(),
  is_hidden_value: Type.Boolean(),
  provider_name: Nullable(Type.String()),
  updated_at: Timestamp,
  ...ownerFields,
})
export type SecretItem = Static<typeof SecretItem>

export const secretItemFields = fieldTable(SecretItem)

/** docs/reference/secrets.md, "Fields". */
export const Secret = Shape('Secret', {
  ...SecretItem.properties,
  /** A text; what the text means as JSON when there is a schema. Answers of writes show the ciphertext. */
  value: Type.Unknown(),
  schema: Nullable(JsonObject),
  provider_options: Nullable(JsonObject),
})
export type Secret = Static<typeof Secret>

export const secretFields = fieldTable(Secret)

export const secretsProviderTypes = ['local', 'vault', 'cloudify'] as const
export type SecretsProviderType = (typeof secretsProviderTypes)[number]

/** docs/reference/secrets.md. */
export const SecretsProvider = Shape('SecretsProvider', {
  id: Type.String(),
  name: Type.String(),
  type: Type.String(),
  /** Only for holders of secrets_provider_credentials. */
  connection_parameters: Nullable(JsonObject),
  updated_at: Timestamp,
  ...ownerFields,
})
export type SecretsProvider = Static<typeof SecretsProvider>

export const secretsProviderFields = fieldTable(SecretsProvider)

/** One entry of an export, and of an import (docs/reference/secrets.md). */
export const ExportedSecret = Shape('ExportedSecret', {
  key: Type.String(),
  value: Type.String(),
  visibility: Type.String(),
  tenant_name: Type.String(),
  is_hidden_value: Type.Boolean(),
  encrypted: Type.Boolean(),
  provider: Nullable(Type.String()),
  provider_options: Nullable(JsonObject),
  creator: Type.Optional(Type.String()),
  created_at: Type.Optional(Timestamp),
  updated_at: Type.Optional(Timestamp),
})
export type ExportedSecret = Static<typeof ExportedSecret>

export const exportedSecretFields = fieldTable(ExportedSecret)

export const SecretsImport = Shape('SecretsImport', {
  colliding_secrets: Type.Record(Type.String(), Type.Array(Type.String())),
  secrets_errors: Type.Record(Type.String(), JsonObject),
})
export type SecretsImport = Static<typeof SecretsImport>
