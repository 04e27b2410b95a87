import { ApiError, badParameter, type LdapSettingName, type LdapSettings, type RouteBody } from '@tutti/api'
import { AddressRefused, checkedAddress } from '@tutti/storage'
import { type Actor, requirePermission } from '../actor.ts'
import {
  checkSearcher,
  deleteLdap,
  LdapAway,
  type LdapPlan,
  planOf,
  reachOf,
  writeLdap,
} from '../authentication/index.ts'

type Body = RouteBody<'ldap.set'>

/** Whether users log in through a directory. */
export const hasLdap = async ({ services }: Actor) => (await services.directory.fresh.ldap()) !== undefined

export const removeLdap = ({ services }: Actor): Promise<void> => deleteLdap(services.db)

/**
 * From now on users log in through the directory. Its user, if one is given, is tried first; without one nothing is
 * connected to.
 *
 * @throws bad_parameters_error
 */
export async function setLdap({ services }: Actor, body: Body): Promise<LdapSettings> {
  const settings = settingsOf(body)
  const password = textOf(body.ldap_password) ?? undefined
  if ((settings.ldap_username === null) !== (password === undefined)) {
    throw badParameter('ldap_username and ldap_password must be given together, or neither of them')
  }
  const plan = planOf(settings, password)
  const reach = reachOf(services, services.ldapLogins.timeoutMs)
  try {
    await checkHost(plan, reach.rules)
    if (plan.searcher !== undefined) await checkSearcher(plan, reach)
  } catch (error) {
    if (!(error instanceof LdapAway || error instanceof AddressRefused)) throw error
    throw badParameter(`Failed setting LDAP authenticator: ${error.message}`)
  }
  await writeLdap(services.db, settings, password === undefined ? null : services.keys.seal(password))
  return settings
}

/** The settings with their password, and since when they stand, for `GET /config`; undefined: LDAP is off. */
export async function keptLdapSettings({ services }: Actor) {
  const ldap = await services.directory.fresh.ldap()
  if (ldap === undefined) return undefined
  const { settings, sealedPassword, updatedAt } = ldap
  const password = sealedPassword === null ? null : services.keys.open(sealedPassword)
  return { values: { ...settings, ldap_password: password }, updatedAt }
}

/**
 * One of the settings, with the right and after the checks of setting them all: a login goes by what they say together.
 *
 * @throws forbidden_error, bad_parameters_error, conflict_error while there are none
 */
export async function changeLdapSetting(actor: Actor, name: LdapSettingName, value: unknown): Promise<void> {
  requirePermission(actor, 'ldap_set')
  const kept = await keptLdapSettings(actor)
  if (kept === undefined) {
    throw new ApiError('conflict_error', `${name} cannot be set by itself: LDAP is off`, {
      hint: 'POST /ldap (tutti ldap set) sets everything that a login through LDAP needs',
    })
  }
  await setLdap(actor, { ...kept.values, [name]: value })
}

/** A name that cannot be resolved now is no reason to refuse settings that are not to be tried. */
async function checkHost({ server }: LdapPlan, rules: Parameters<typeof checkedAddress>[1]): Promise<void> {
  await checkedAddress(server.host, rules).catch((error: unknown) => {
    if (!(error instanceof AddressRefused && error.isUnknown)) throw error
  })
}

function settingsOf(body: Body): LdapSettings {
  const server = textOf(body.ldap_server)
  const domain = textOf(body.ldap_domain)
  if (server === null || domain === null) throw badParameter('ldap_server and ldap_domain cannot be empty')
  return {
    ldap_server: server,
    ldap_domain: domain,
    ldap_username: textOf(body.ldap_username),
    ldap_is_active_directory: body.ldap_is_active_directory ?? false,
    ldap_dn_extra: textOf(body.ldap_dn_extra),
    ldap_ca_cert: textOf(body.ldap_ca_cert),
    ldap_nested_levels: Number(body.ldap_nested_levels || 1),
    ldap_bind_format: textOf(body.ldap_bind_format),
    ldap_group_dn: textOf(body.ldap_group_dn),
    ldap_base_dn: textOf(body.ldap_base_dn),
    ldap_group_member_filter: textOf(body.ldap_group_member_filter),
    ldap_user_filter: textOf(body.ldap_user_filter),
    ldap_attribute_email: textOf(body.ldap_attribute_email),
    ldap_attribute_first_name: textOf(body.ldap_attribute_first_name),
    ldap_attribute_last_name: textOf(body.ldap_attribute_last_name),
    ldap_attribute_uid: textOf(body.ldap_attribute_uid),
    ldap_attribute_group_membership: textOf(body.ldap_attribute_group_membership),
  }
}

/** Clients send what was not given as null or as nothing. */
function textOf(given: string | null | undefined): string | null {
  if (given == null || given.trim() === '') return null
  if (given.includes('\0')) throw badParameter('The LDAP settings hold a NUL character')
  return given
}
