import { badParameter } from '@tutti/api'
import type { InstanceRecord } from '../node-instances/index.ts'

type Hints = {
  readonly name: string
  readonly isGroup: boolean
  /** Of each copy of what contains it. */
  readonly current: number
  readonly instances: number
  readonly include: readonly string[]
  readonly exclude: readonly string[]
}

/**
 * Whether the instances that are to go, and those that are to stay, are there, and these can.
 *
 * @throws bad_parameters_error
 */
export function checkHints(
  { name, isGroup, current, instances, include, exclude }: Hints,
  present: readonly InstanceRecord[],
): void {
  const known = new Set(present.map(({ id }) => id))
  const missing = [...include, ...exclude].filter((id) => !known.has(id))
  if (missing.length > 0) throw badParameter(`Node instances do not exist: ${missing.join(', ')}`)
  // A member stands for its copy of the group.
  const standsFor = (instance: InstanceRecord): readonly string[] => {
    if (!isGroup) return instance.node_id === name ? [instance.id] : []
    return instance.scaling_groups.flatMap((group) => (group.name === name ? [group.id] : []))
  }
  const all = new Set(present.flatMap(standsFor))
  const spared = new Set(exclude)
  const staying = new Set(present.filter(({ id }) => spared.has(id)).flatMap(standsFor))
  const parents = current === 0 ? 0 : all.size / current
  if (staying.size > instances * parents) {
    throw badParameter(
      `Too many instances are excluded: of ${name} ${staying.size} are to stay, but only ${instances * parents} will`,
    )
  }
}
