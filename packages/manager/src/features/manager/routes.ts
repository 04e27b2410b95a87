import { ApiError, defaultMaxResults, fieldTable, parseInclude, pickIncluded, Version } from '@tutti/api'
import type { Handlers } from '../../request.ts'
import { apiVersionNumber, tuttiVersion } from '../../version.ts'
import { brokerOf, dbNodeOf, distribution, edition, managerNode } from './cluster.ts'
import { findProviderContext, listManagers, writeProviderContext } from './queries.ts'
import { readStatus } from './status.ts'

const version: Version = {
  edition,
  version: apiVersionNumber,
  build: `${distribution}-${tuttiVersion}`,
  date: null,
  commit: null,
  distribution,
  distro_release: tuttiVersion,
}
const versionFields = fieldTable(Version)

/** spec/rest-spec-b.md 4.4, spec/rest-facts-b.md 11 and 12 */
export const managerHandlers = {
  'version.get': async (request) => pickIncluded(version, parseInclude(request.query, versionFields)),

  async 'status.get'({ services, options }) {
    const status = await readStatus(services.db)
    return options.summary === true ? { ...status, services: {} } : status
  },

  async 'ok.get'({ services, reply }) {
    const { status } = await readStatus(services.db)
    if (status === 'OK') return 'OK'
    reply.code(500)
    return 'FAIL'
  },

  // None was set: an empty one, since the Python SDK reads it at the start of every workflow.
  'providerContext.get': async ({ services }) =>
    (await findProviderContext(services.db)) ?? { id: 'CONTEXT', name: 'provider', context: {} },

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

  async 'managers.list'({ services, options }) {
    const rows = await listManagers(services.db, options.hostname)
    return wholeList(rows.map(managerNode))
  },

  async 'brokers.list'({ services }) {
    const rows = await listManagers(services.db)
    return wholeList(rows.slice(0, 1).map(brokerOf))
  },

  async 'dbNodes.list'({ services }) {
    const rows = await listManagers(services.db)
    return wholeList(rows.slice(0, 1).map(dbNodeOf))
  },

  // Tutti needs no license.
  'license.check': async () => 'OK',
} satisfies Partial<Handlers>

function wholeList<Item>(items: readonly Item[]) {
  return {
    items,
    metadata: { pagination: { total: items.length, offset: 0, size: defaultMaxResults }, filtered: null },
  }
}
