import { ApiError, badParameter, type ListQuery, notFound, type RouteBody } from '@tutti/api'
import { everything, findItem, listPage } from '@tutti/storage'
import type { Actor } from '../actor.ts'
import { parseLicenseFile } from './license-file.ts'
import { anyLicense, deleteLicense, licenseResource, writeLicense } from './queries.ts'

export const listLicenses = ({ services }: Actor, list: ListQuery) =>
  listPage(services.db, licenseResource, list, everything)

/** A file that is refused leaves the license as it was. @throws invalid_yaml_format, unverified_cloudify_license */
export async function uploadLicense(actor: Actor, text: string, include?: readonly string[]) {
  const { db, now } = actor.services
  await writeLicense(db, parseLicenseFile(text, now()))
  return (await findItem(db, licenseResource, anyLicense, everything, include))?.item
}

/** @throws not_found_error */
export async function removeLicense({ services }: Actor): Promise<void> {
  if (!(await deleteLicense(services.db))) throw notFound('License', 'LICENSE')
}

/** @throws bad_parameters_error, community_only_error */
export function refuseContact({ is_eula: agrees }: RouteBody<'contacts.create'>): never {
  if (!agrees) throw badParameter('EULA must be confirmed by user')
  throw communityOnly('Contacts')
}

export const communityOnly = (what: string) =>
  new ApiError('community_only_error', `${what} belong to the community edition, which this manager is not`)
