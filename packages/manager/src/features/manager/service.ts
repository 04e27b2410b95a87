import { ApiError, type RouteBody, type Version } from '@tutti/api'
import type { Request } from '../../request.ts'
import { apiVersionNumber, distribution, edition, tuttiVersion } from '../../version.ts'
import { findProviderContext, writeProviderContext } from './queries.ts'

export const version: Version = {
  edition,
  version: apiVersionNumber,
  build: `${distribution}-${tuttiVersion}`,
  date: null,
  commit: null,
  distribution,
  distro_release: tuttiVersion,
}

/** Where none was set, an empty one: the Python SDK reads it at the start of every workflow. */
export const getProviderContext = async ({ services }: Request) =>
  (await findProviderContext(services.db)) ?? { id: 'CONTEXT', name: 'provider', context: {} }

/** @throws conflict_error when there is one already and it is not to be replaced */
export async function setProviderContext(
  { services }: Request,
  body: RouteBody<'providerContext.set'>,
  isUpdate: boolean,
): Promise<void> {
  if (await writeProviderContext(services.db, body, isUpdate)) return
  throw new ApiError('conflict_error', 'Provider context already set', {
    hint: 'Replace it with POST /provider/context?update=true',
  })
}
