import { isIP } from 'node:net'
import { badParameter, type LdapSettings } from '@tutti/api'
import { checkCertificates } from '../../certificates.ts'
import { domainDn } from './dn.ts'
import {
  checkFilter,
  checkPlaceholders,
  fillBindName,
  fillDn,
  isDnTemplate,
  type Values,
} from './template.ts'

export type LdapServer = {
  readonly host: string
  readonly port: number
  readonly security: 'none' | 'starttls' | 'tls'
  /** PEM; the only authorities that are trusted. */
  readonly ca: string | undefined
}

/** The settings with their defaults (docs/ldap.md), as a login follows them. */
export type LdapPlan = {
  readonly server: LdapServer
  /** Who searches; when there is none, the users themselves do. */
  readonly searcher: { readonly name: string; readonly password: string } | undefined
  /** How a user's name is made to what they bind with; undefined: as the entry that the searcher finds. */
  readonly bindFormat: string | undefined
  readonly baseDn: string
  readonly userFilter: string
  readonly groupDn: string
  /** Finds the groups of a member; undefined: the attribute alone tells them. */
  readonly memberFilter: string | undefined
  /** How deep groups in groups count; 1: only those that name the user. */
  readonly nestedLevels: number
  readonly attributes: {
    readonly uid: string
    readonly firstName: string
    readonly lastName: string
    readonly email: string
    readonly groups: string
  }
  /** For the templates. */
  readonly values: Values
}

/** @throws bad_parameters_error for settings that make no sense */
export function planOf(settings: LdapSettings, password: string | undefined): LdapPlan {
  const { ldap_domain: domain, ldap_is_active_directory: isActiveDirectory } = settings
  const server = parseServer(settings.ldap_server, settings.ldap_ca_cert)
  if (!/^[\da-z]([\da-z-]*[\da-z])?(\.[\da-z]([\da-z-]*[\da-z])?)*$/i.test(domain)) {
    throw badParameter(`ldap_domain must be a domain such as example.org, got ${domain}`)
  }
  const inDomain = { domain, domain_dn: domainDn(domain) }
  const baseDn =
    settings.ldap_base_dn ??
    (settings.ldap_dn_extra === null ? inDomain.domain_dn : `${settings.ldap_dn_extra},${inDomain.domain_dn}`)
  const base: Values = { ...inDomain, base_dn: baseDn }

  const groupTemplate = settings.ldap_group_dn ?? (isActiveDirectory ? '{base_dn}' : 'ou=groups,{base_dn}')
  checkPlaceholders('ldap_group_dn', groupTemplate, ['base_dn', 'domain_dn'])
  const groupDn = fillDn(groupTemplate, base)

  const userFilter =
    settings.ldap_user_filter ??
    (isActiveDirectory ? '(|(sAMAccountName={username})(uid={username}))' : '(uid={username})')
  const inUserFilter = ['username', 'base_dn', 'domain_dn', 'group_dn']
  checkPlaceholders('ldap_user_filter', userFilter, inUserFilter, 'username')
  checkFilter('ldap_user_filter', userFilter)

  const bindFormat =
    settings.ldap_bind_format ??
    (isActiveDirectory ? '{username}@{domain}' : 'uid={username},ou=users,{base_dn}')
  checkPlaceholders('ldap_bind_format', bindFormat, [...inUserFilter, 'domain'], 'username')

  const memberFilter =
    settings.ldap_group_member_filter ?? (isActiveDirectory ? undefined : '(uniqueMember={object_dn})')
  if (memberFilter !== undefined) {
    checkPlaceholders('ldap_group_member_filter', memberFilter, ['object_dn'], 'object_dn')
    checkFilter('ldap_group_member_filter', memberFilter)
  }

  const values = { ...base, group_dn: groupDn }
  const searcher =
    settings.ldap_username === null || password === undefined
      ? undefined
      : { name: searcherName(settings.ldap_username, bindFormat, values), password }
  return {
    server,
    searcher,
    bindFormat: searcher !== undefined && settings.ldap_bind_format === null ? undefined : bindFormat,
    baseDn,
    userFilter,
    groupDn,
    memberFilter,
    nestedLevels: settings.ldap_nested_levels,
    attributes: {
      uid: attribute('uid', settings.ldap_attribute_uid, 'uid'),
      firstName: attribute('first_name', settings.ldap_attribute_first_name, 'givenName'),
      lastName: attribute('last_name', settings.ldap_attribute_last_name, 'sn'),
      email: attribute('email', settings.ldap_attribute_email, 'email'),
      groups: attribute('group_membership', settings.ldap_attribute_group_membership, 'memberOf'),
    },
    values,
  }
}

/** A whole name (`cn=reader,dc=example,dc=org`, `reader@example.org`) is taken as it is, a short one as a user's. */
function searcherName(given: string, bindFormat: string, values: Values): string {
  if (/[=@\\]/.test(given)) return given
  const name = fillBindName(bindFormat, { ...values, username: given })
  if (name !== undefined && (isDnTemplate(bindFormat) || name !== given)) return name
  throw badParameter(
    `ldap_username ${given} is neither a name of an entry nor one that ldap_bind_format fits`,
  )
}

function attribute(field: string, given: string | null, otherwise: string): string {
  if (given === null) return otherwise
  if (/^[a-z][\w.;-]*$/i.test(given)) return given
  throw badParameter(`ldap_attribute_${field} must be the name of an attribute, got ${given}`)
}

const ports = { none: 389, starttls: 389, tls: 636 } as const
const securities: Readonly<Record<string, LdapServer['security']>> = {
  'ldap:': 'none',
  'ldap+starttls:': 'starttls',
  'ldaps:': 'tls',
}

function parseServer(address: string, ca: string | null): LdapServer {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const security = url === undefined ? undefined : securities[url.protocol]
  const isPlain =
    url !== undefined &&
    url.username === '' &&
    url.password === '' &&
    url.search === '' &&
    url.hash === '' &&
    (url.pathname === '' || url.pathname === '/')
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? ''
  if (!isPlain || security === undefined || (isIP(host) === 0 && !/^[\w-]+(\.[\w-]+)*\.?$/.test(host))) {
    throw badParameter(
      'ldap_server must be ldap://HOST, ldaps://HOST or ldap+starttls://HOST, with :PORT if it is not the usual one',
    )
  }
  if (security === 'none' && ca !== null) {
    throw badParameter('ldap_ca_cert cannot be used with an ldap:// server', {
      hint: 'Use ldaps://, or ldap+starttls:// to encrypt the connection on the port of ldap://',
    })
  }
  if (security !== 'none' && ca === null) {
    throw badParameter(`ldap_ca_cert is required with an ${url?.protocol}// server`)
  }
  if (ca !== null) checkCertificates('ldap_ca_cert', ca)
  return { host, port: Number(url?.port || ports[security]), security, ca: ca ?? undefined }
}
