import { ApiError, pickIncluded, type Version } from '@tutti/api'
import type { Handlers } from '../../request.ts'
import { apiVersionNumber, distribution, edition, tuttiVersion } from '../../version.ts'
import { findProviderContext, writeProviderContext } from './queries.ts'

const version: Version = {
  edition,
  version: apiVersionNumber,
  build: `${distribution}-${tuttiVersion}`,
  date: null,
  commit: null,
  distribution,
  distro_release: tuttiVersion,
}

/** spec/rest-spec-b.md 4.4, spec/rest-facts-b.md 11 and 12 */
export const managerHandlers = {
  'version.get': async ({ include }) => pickIncluded(version, include),

  // None was set: an empty one, since the Python SDK reads it at the start of every workflow.
  'providerContext.get': async ({ services, include }) =>
    pickIncluded(
      (await findProviderContext(services.db)) ?? { id: 'CONTEXT', name: 'provider', context: {} },
      include,
    ),

  async 'providerContext.set'({ services, options, body, reply }) {
    const isUpdate = options.update === true
    if (!(await writeProviderContext(services.db, body, isUpdate))) {
      throw new ApiError('conflict_error', 'Provider context already set', {
        hint: 'Replace it with POST /provider/context?update=true',
      })
    }
    // An update answers 200 where the route's own code is 201.
    if (isUpdate) return reply.code(200).send({ status: 'ok' })
    return { status: 'ok' }
  },
  // The answer is that the request came as far as here.
  'monitoring.authorize': async ({ reply }) => reply.code(200).send(),
} satisfies Partial<Handlers>
