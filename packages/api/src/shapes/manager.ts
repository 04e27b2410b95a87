import { type Static, Type } from 'typebox'
import { JsonObject, Nullable, Shape, Timestamp } from './common.ts'

/** docs/reference/cluster-and-configuration.md, "Version" and "Status". */
export const Version = Shape('Version', {
  edition: Type.String(),
  version: Type.String(),
  build: Nullable(Type.String()),
  date: Nullable(Type.String()),
  commit: Nullable(Type.String()),
  distribution: Nullable(Type.String()),
  distro_release: Nullable(Type.String()),
})
export type Version = Static<typeof Version>

export const ServiceStatus = Shape('ServiceStatus', {
  status: Type.Union([Type.Literal('Active'), Type.Literal('Inactive')]),
  is_remote: Type.Boolean(),
  extra_info: JsonObject,
})
export type ServiceStatus = Static<typeof ServiceStatus>

/** v3.1 (docs/reference/cluster-and-configuration.md, "Status"); with `summary=true` services is empty. */
export const Status = Shape('Status', {
  status: Type.Union([Type.Literal('OK'), Type.Literal('Fail')]),
  services: Type.Record(Type.String(), ServiceStatus),
})
export type Status = Static<typeof Status>

const TimestampOrNone = Type.Union([Timestamp, Type.Literal('')])

/** docs/reference/cluster-and-configuration.md, "Configuration". */
export const Maintenance = Shape('Maintenance', {
  status: Type.String(),
  activated_at: TimestampOrNone,
  activation_requested_at: TimestampOrNone,
  remaining_executions: Nullable(Type.Array(JsonObject)),
  requested_by: Nullable(Type.Unknown()),
})
export type Maintenance = Static<typeof Maintenance>

export const ConfigItem = Shape('ConfigItem', {
  name: Type.String(),
  value: Type.Unknown(),
  scope: Type.Union([Type.String(), Type.Array(Type.String())]),
  schema: Nullable(JsonObject),
  is_editable: Type.Boolean(),
  admin_only: Type.Boolean(),
  updated_at: Nullable(Timestamp),
  updater_name: Nullable(Type.String()),
})
export type ConfigItem = Static<typeof ConfigItem>

/**
 * docs/reference/access.md, "Permissions"; docs/reference/cluster-and-configuration.md, "Configuration":
 * `authorization` only without scope or with scope=authorization.
 */
export const Config = Shape('Config', {
  metadata: JsonObject,
  items: Type.Array(ConfigItem),
  authorization: Type.Optional(
    Type.Object({
      roles: Type.Array(
        Type.Object({
          id: Type.Integer(),
          name: Type.String(),
          type: Type.String(),
          description: Type.String(),
        }),
      ),
      permissions: Type.Record(Type.String(), Type.Array(Type.String())),
    }),
  ),
})
export type Config = Static<typeof Config>

export const ProviderContext = Shape('ProviderContext', {
  id: Type.String(),
  name: Type.String(),
  context: JsonObject,
})
export type ProviderContext = Static<typeof ProviderContext>
