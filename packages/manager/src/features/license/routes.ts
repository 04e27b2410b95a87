import type { Handlers } from '../../request.ts'
import { communityOnly, listLicenses, refuseContact, removeLicense, uploadLicense } from './service.ts'

/** docs/reference/cluster-and-configuration.md, "License" */
export const licenseHandlers = {
  'license.list': (request) => listLicenses(request),
  'license.upload': (request) => uploadLicense(request, request.include),
  'license.delete': (request) => removeLicense(request),
  // Whatever was uploaded or was not: nothing is refused for it.
  'license.check': async () => 'OK',

  'license.register': async () => {
    throw communityOnly('Customer ids')
  },
  'contacts.create': async (request) => refuseContact(request.body),
} satisfies Partial<Handlers>
