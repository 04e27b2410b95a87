import { ApiError, badParameter, notFound, type RouteBody } from '@tutti/api'
import { everything, findItem, listPage } from '@tutti/storage'
import { bodyOf } from '../../http/body.ts'
import type { Request, RouteRequest } from '../../request.ts'
import { parseLicenseFile } from './license-file.ts'
import { anyLicense, deleteLicense, licenseResource, writeLicense } from './queries.ts'

export const listLicenses = ({ services, list }: RouteRequest<'license.list'>) =>
  listPage(services.db, licenseResource, list, everything)

const maxLicenseBytes = 100_000

/** A file that is refused leaves the license as it was. @throws invalid_yaml_format, unverified_cloudify_license */
export async function uploadLicense(request: Request, include?: readonly string[]) {
  const { db, now } = request.services
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of bodyOf(request.raw)) {
    size += chunk.length
    if (size > maxLicenseBytes) throw badParameter(`A license has no more than ${maxLicenseBytes} bytes`)
    chunks.push(chunk)
  }
  await writeLicense(db, parseLicenseFile(Buffer.concat(chunks).toString('utf8'), now()))
  return findItem(db, licenseResource, anyLicense, everything, include)
}

/** @throws not_found_error */
export async function removeLicense({ services }: Request): Promise<void> {
  if (!(await deleteLicense(services.db))) throw notFound('License', 'LICENSE')
}

/** @throws bad_parameters_error, community_only_error */
export function refuseContact({ is_eula: agrees }: RouteBody<'contacts.create'>): never {
  if (!agrees) throw badParameter('EULA must be confirmed by user')
  throw communityOnly('Contacts')
}

export const communityOnly = (what: string) =>
  new ApiError('community_only_error', `${what} belong to the community edition, which this manager is not`)
