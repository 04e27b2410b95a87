import { randomUUID } from 'node:crypto'
import { ApiError, badParameter, checkIdentifier } from '@tutti/api'

export const defaultIdTemplate = '{group_id}-{uuid}'

export type IdRequest = {
  readonly template: string
  readonly siteName: string | undefined
}

type Surroundings = {
  readonly groupId: string
  readonly blueprintId: string
  /** Deployments that the group has created before. */
  readonly counter: number
  /** Which of these ids exist already. */
  findTaken(ids: readonly string[]): Promise<ReadonlySet<string>>
}

/** What stands for `{uuid}`, `{count}` and the others in the id and the display name of one new deployment. */
export type Placeholders = Readonly<Record<string, string>>

/** Deployments called `web-{count}` may be there from elsewhere: so many rounds of the next numbers are tried. */
const maxRounds = 100

/**
 * The ids of new deployments out of their templates (docs/reference/groups.md, "New deployments"), no two alike, each
 * with what its placeholders stood for, and the group's counter afterwards. An id that is taken is made anew where something in it varies; one that is fixed is left as it is, as its
 * deployment may be one that makes way.
 *
 * @throws bad_parameters_error, conflict_error
 */
export async function newDeploymentIds(
  requests: readonly IdRequest[],
  { groupId, blueprintId, counter, findTaken }: Surroundings,
): Promise<{
  readonly made: readonly { readonly id: string; readonly placeholders: Placeholders }[]
  readonly counter: number
}> {
  const made: { id: string; placeholders: Placeholders }[] = []
  const used = new Set<string>()
  let count = counter
  let missing = requests.map((request, index) => ({ ...request, index }))
  for (let round = 0; missing.length > 0; round += 1) {
    if (round === maxRounds) {
      throw new ApiError(
        'conflict_error',
        `No free deployment id was found for the template ${missing[0]?.template}`,
        { hint: 'Use {uuid} in the template' },
      )
    }
    const candidates = missing.map((request) => {
      count += 1
      const { template, siteName = '' } = request
      const placeholders = {
        group_id: groupId,
        blueprint_id: blueprintId,
        site_name: siteName,
        uuid: randomUUID(),
        count: String(count),
      }
      const id = filledIn('id', template, placeholders)
      return { request, placeholders, id: checkIdentifier('deployment_id', id, 'any') }
    })
    const taken = await findTaken(candidates.map(({ id }) => id))
    missing = []
    for (const { request, id, placeholders } of candidates) {
      const varies = /\{(uuid|count)\}/.test(request.template)
      if (used.has(id) && !varies) {
        throw new ApiError(
          'conflict_error',
          `Cannot create several deployments called ${id}: their id has no part that varies`,
          { hint: 'Use {uuid} or {count} in the id' },
        )
      }
      if (used.has(id) || (varies && taken.has(id))) missing.push(request)
      else {
        used.add(id)
        made[request.index] = { id, placeholders }
      }
    }
  }
  return { made, counter: count }
}

/** @throws bad_parameters_error for a placeholder that there is not */
export function filledIn(what: 'id' | 'display name', template: string, values: Placeholders): string {
  return template.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value !== undefined) return value
    throw badParameter(
      `Unknown placeholder {${name}} in the deployment ${what} ${template}. Allowed are: ` +
        Object.keys(values)
          .map((allowed) => `{${allowed}}`)
          .join(', '),
    )
  })
}
