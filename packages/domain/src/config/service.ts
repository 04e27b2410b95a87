import {
  ApiError,
  type Config,
  type ConfigItem,
  isLdapSetting,
  notFound,
  ownSettings,
  type PermissionTable,
  parseSettingValue,
  roles,
  type Setting,
  type SettingName,
  settingsByScope,
  unauthorized,
} from '@tutti/api'
import type { Actor } from '../actor.ts'
import { changeLdapSetting, keptLdapSettings } from '../ldap/index.ts'
import { writeSetting } from './queries.ts'

type Found = { readonly scope: string; readonly name: string; readonly setting: Setting }

const all: readonly Found[] = Object.entries(settingsByScope).flatMap(([scope, settings]) =>
  Object.entries(settings).map(([name, setting]) => ({ scope, name, setting })),
)

/** docs/reference/cluster-and-configuration.md, "Configuration": `authorization` only without a scope, or as one. */
export async function listConfiguration(actor: Actor, scope: string | undefined): Promise<Config> {
  const keptOf = await readValues(actor)
  const items = all
    .filter((found) => scope === undefined || found.scope === scope)
    .map((found) => configItem(actor, found, keptOf(found)))
  const withAuthorization = scope === undefined || scope === 'authorization'
  return {
    metadata: {},
    items,
    ...(withAuthorization && { authorization: authorization(await actor.access.permissions()) }),
  }
}

/** @throws not_found_error, ambiguous_name */
export async function getSetting(actor: Actor, name: string): Promise<ConfigItem> {
  const found = findSetting(name)
  return configItem(actor, found, (await readValues(actor))(found))
}

/** @throws not_found_error, ambiguous_name, unauthorized_error, conflict_error, bad_parameters_error */
export async function setSetting(
  actor: Actor,
  key: string,
  { value, force = false }: { readonly value: unknown; readonly force?: boolean },
): Promise<ConfigItem> {
  const found = findSetting(key)
  const { name, setting } = found
  if (setting.isAdminOnly && !isSystemAdministrator(actor)) {
    throw unauthorized(`Only admin users are permitted to change ${name}`)
  }
  if (!setting.isEditable && !force) {
    throw new ApiError('conflict_error', `${name} is not editable`, {
      hint: 'Pass force=true to change it all the same',
    })
  }
  const parsed = parseSettingValue(name, setting, value)
  if (isLdapSetting(name)) await changeLdapSetting(actor, name, parsed)
  else await keep(actor, found, parsed)
  return configItem(actor, found, (await readValues(actor))(found))
}

async function keep({ services, caller }: Actor, { scope, name }: Found, value: unknown): Promise<void> {
  await writeSetting(services.db, { scope, name, value, updater_name: caller.username })
  await services.config.refresh()
}

/** @throws not_found_error, ambiguous_name */
function findSetting(key: string): Found {
  const found = all.filter(({ scope, name }) => name === key || `${scope}.${name}` === key)
  const [first, second] = found
  if (first === undefined) throw notFound('Config', key)
  if (second !== undefined) {
    const names = found.map(({ scope, name }) => `${scope}.${name}`)
    throw new ApiError('ambiguous_name', `Expected one value of ${key}, but there are: ${names.join(', ')}`, {
      hint: `Name the scope too, for example ${names[0]}`,
    })
  }
  return first
}

type Kept = Partial<Pick<ConfigItem, 'value' | 'updated_at' | 'updater_name'>>

/** What each setting is now, wherever it is kept. */
async function readValues(actor: Actor): Promise<(found: Found) => Kept> {
  const { config } = actor.services
  const ldap = await keptLdapSettings(actor)
  return ({ scope, name }) => {
    if (isLdapSetting(name)) {
      return ldap === undefined ? {} : { value: ldap.values[name], updated_at: ldap.updatedAt.toISOString() }
    }
    const stored = config.stored(scope, name)
    if (stored !== undefined) return { ...stored, updated_at: stored.updated_at.toISOString() }
    const isOwn = scope === 'rest' && Object.hasOwn(ownSettings, name)
    return isOwn ? { value: config.get(name as SettingName) } : {}
  }
}

function configItem(actor: Actor, { scope, name, setting }: Found, kept: Kept): ConfigItem {
  const isHidden = setting.isAdminOnly && !isSystemAdministrator(actor)
  return {
    name,
    value: isHidden ? '********' : kept.value === undefined ? setting.default : kept.value,
    scope,
    schema: setting.schema as unknown as Readonly<Record<string, unknown>>,
    is_editable: setting.isEditable,
    admin_only: setting.isAdminOnly,
    updated_at: kept.updated_at ?? null,
    updater_name: kept.updater_name ?? null,
  }
}

const isSystemAdministrator = (actor: Actor) => actor.rights.roles.includes('sys_admin')

function authorization(table: PermissionTable): NonNullable<Config['authorization']> {
  return {
    roles: Object.entries(roles).map(([name, role], index) => ({ id: index, name, ...role })),
    permissions: Object.fromEntries(
      Object.entries(table).map(([permission, holders]) => [permission, [...holders]]),
    ),
  }
}
