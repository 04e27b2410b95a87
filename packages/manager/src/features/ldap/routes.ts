import { hasLdap, removeLdap, setLdap } from '@tutti/domain/ldap'
import type { Handlers } from '../../request.ts'

/** docs/ldap.md */
export const ldapHandlers = {
  'ldap.get': async (request) => ((await hasLdap(request)) ? 'enabled' : 'disabled'),

  'ldap.set': (request) => setLdap(request, request.body),

  'ldap.remove': (request) => removeLdap(request),

  'identityProvider.get': async (request) => ((await hasLdap(request)) ? 'ldap' : 'local'),
} satisfies Partial<Handlers>
