import type { LabelPair } from '@tutti/api'
import { isCall, type Json, type PlanRequirements } from '@tutti/dsl'
import type { Database } from '@tutti/storage'
import { declaredCapabilities } from './queries.ts'

/**
 * Why the deployment cannot live in its environment: the blueprint asks for capabilities that no deployment has which
 * its `csys-obj-parent` labels name (docs/reference/deployments.md, "Parent capabilities"). A parent that whoever
 * creates the deployment does not see is told of when the label is set.
 */
export async function lackingCapabilities(
  db: Database,
  owner: Parameters<typeof declaredCapabilities>[1],
  requirements: unknown,
  labels: readonly LabelPair[],
): Promise<string | undefined> {
  const wanted = (requirements as PlanRequirements | null)?.parent_capabilities ?? []
  if (wanted.length === 0) return undefined
  const parents = labels.filter(({ key }) => key === 'csys-obj-parent').map(({ value }) => value)
  const known = await declaredCapabilities(db, owner, parents)
  if (known.length < parents.length) return undefined
  const missing = wanted.filter((path) => !known.some((capabilities) => declares(capabilities, path)))
  if (missing.length === 0) return undefined
  const names = missing.map((path) => path.map((part) => (typeof part === 'object' ? '…' : part)).join('.'))
  const where = parents.length === 0 ? 'it is in none (label csys-obj-parent)' : parents.join(', ')
  return `The deployment needs capabilities that its environment does not have, ${where}: ${names.join(', ')}`
}

type Capabilities = { readonly [name: string]: { readonly value?: Json } }

/** What a function says, as a part of the path or as a value on the way, is known only when it is evaluated. */
function declares(capabilities: Capabilities, [name, ...keys]: readonly Json[]): boolean {
  if (typeof name !== 'string') return true
  if (!Object.hasOwn(capabilities, name)) return false
  let value: Json | undefined = capabilities[name]?.value
  for (const key of keys) {
    if (isCall(value) || typeof key === 'object') return true
    const inner: Json | undefined = Object(value)[String(key)]
    if (typeof value !== 'object' || inner === undefined) return false
    value = inner
  }
  return true
}
