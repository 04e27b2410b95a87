import { Type } from 'typebox'
import { LdapSettings, ldapFields } from '../shapes/ldap.ts'
import { route } from './route.ts'

/** Logging in through a directory (docs/ldap.md). */
export const ldapRoutes = {
  'ldap.get': route({
    method: 'GET',
    path: '/ldap',
    since: 'v3',
    permission: 'ldap_status_get',
    tenant: 'none',
    reach: 'manager',
    summary: 'Get whether users log in through an LDAP directory',
    response: Type.Union([Type.Literal('enabled'), Type.Literal('disabled')]),
    status: 200,
  }),
  'ldap.set': route({
    method: 'POST',
    path: '/ldap',
    since: 'v3',
    permission: 'ldap_set',
    tenant: 'none',
    reach: 'manager',
    summary: 'Let users log in through an LDAP directory',
    body: Type.Object(ldapFields),
    response: LdapSettings,
    status: 200,
  }),
  // Ours: the reference has no way back.
  'ldap.remove': route({
    method: 'DELETE',
    path: '/ldap',
    since: 'v3.1',
    permission: 'ldap_set',
    tenant: 'none',
    reach: 'manager',
    summary: 'Let users log in with passwords of this manager again',
    response: 'empty',
    status: 204,
  }),
  'identityProvider.get': route({
    method: 'GET',
    path: '/idp',
    since: 'v3.1',
    permission: 'identity_provider_get',
    tenant: 'none',
    reach: 'everybody',
    summary: 'Get where users are looked up: local or ldap',
    response: Type.String(),
    status: 200,
  }),
} as const
