import { ApiError, type RouteBody, type Version } from '@tutti/api'
import { type Actor, requirePermission } from '../actor.ts'
import { asObject, objectAt } from '../json-object.ts'
import { apiVersionNumber, distribution, edition, tuttiVersion } from '../version.ts'
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
export const getProviderContext = async ({ services }: Actor) =>
  (await findProviderContext(services.db)) ?? { id: 'CONTEXT', name: 'provider', context: {} }

/**
 * Everybody may say where the manager runs, but not where the blueprints of all tenants get their imports from.
 *
 * @throws conflict_error when there is one already and it is not to be replaced, forbidden_error
 */
export async function setProviderContext(
  actor: Actor,
  body: RouteBody<'providerContext.set'>,
  isUpdate: boolean,
): Promise<void> {
  const { services } = actor
  const present = isUpdate ? (await findProviderContext(services.db))?.context : undefined
  if ([body.context, present].some(hasImportRules)) requirePermission(actor, 'manager_manage')
  if (await writeProviderContext(services.db, body, isUpdate)) return
  throw new ApiError('conflict_error', 'Provider context already set', {
    hint: 'Replace it with POST /provider/context?update=true',
  })
}

const hasImportRules = (context: unknown) => 'import_resolver' in objectAt(asObject(context), 'cloudify')
