/**
 * One copy of a node or of a scaling group, standing in its parent's copy (docs/reference/plan.md, "Node instances").
 */
export type Copy = {
  readonly name: string
  readonly id: string
  readonly isGroup: boolean
  readonly parent: Copy | null
  /** Was there before this expansion. */
  readonly isOld: boolean
}

/** The copies of one expansion: parents before children, one parent copy completely before the next. */
export type InstanceTree = {
  readonly copies: readonly Copy[]
  /** Node copies by node name. */
  readonly byNode: ReadonlyMap<string, readonly Copy[]>
}

/** The copy of `name` in which a copy stands, or itself. */
export function copyAbove(copy: Copy, name: string): Copy | null {
  for (let at: Copy | null = copy; at !== null; at = at.parent) if (at.name === name) return at
  return null
}

/** The groups around a copy, innermost first, up to the first containing node. */
export function groupsAround(copy: Copy): readonly Copy[] {
  const groups: Copy[] = []
  for (let at = copy.parent; at?.isGroup === true; at = at.parent) groups.push(at)
  return groups
}
