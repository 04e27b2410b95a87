import {
  communityOnly,
  listLicenses,
  refuseContact,
  removeLicense,
  uploadLicense,
} from '@tutti/domain/license'
import { readBytes } from '../../http/body.ts'
import type { Handlers } from '../../request.ts'

const maxLicenseBytes = 100_000

/** docs/reference/cluster-and-configuration.md, "License" */
export const licenseHandlers = {
  'license.list': (request) => listLicenses(request, request.list),
  async 'license.upload'(request) {
    const file = await readBytes(
      request.raw,
      maxLicenseBytes,
      `A license has no more than ${maxLicenseBytes} bytes`,
    )
    return uploadLicense(request, file.toString('utf8'), request.include)
  },
  'license.delete': (request) => removeLicense(request),
  // Whatever was uploaded or was not: nothing is refused for it.
  'license.check': async () => 'OK',

  'license.register': async () => {
    throw communityOnly('Customer ids')
  },
  'contacts.create': async (request) => refuseContact(request.body),
} satisfies Partial<Handlers>
