import { deleteLdap } from '../../authentication/ldap/queries.ts'
import type { Handlers } from '../../request.ts'
import { setLdap } from './service.ts'

/** spec/rest-facts-b.md 2 */
export const ldapHandlers = {
  'ldap.get': async ({ services }) =>
    (await services.directory.fresh.ldap()) === undefined ? 'disabled' : 'enabled',

  'ldap.set': (request) => setLdap(request, request.body),

  'ldap.remove': ({ services }) => deleteLdap(services.db),

  'identityProvider.get': async ({ services }) =>
    (await services.directory.fresh.ldap()) === undefined ? 'local' : 'ldap',
} satisfies Partial<Handlers>
