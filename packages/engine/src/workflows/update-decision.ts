import { type BuildScope, nodeOf, relationshipsOf } from '../build-scope.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { canBeHealed } from '../lifecycle/heal.ts'
import type { ModelNode, ModelNodeInstance, ModelRelationshipInstance } from '../model.ts'
import { containmentOf } from './containment.ts'
import { executionOf, hasFailedToHeal, healthTest } from './heal.ts'

/** What becomes of instances that stay, as far as the request and the differences say. */
export type UpdateChoice = {
  /** Started instances that stay, of nodes with a step on a property or operation or with a check of drift. */
  readonly candidates: readonly string[]
  /** Nodes with a step on a property or an operation. */
  readonly changedNodes: readonly string[]
  readonly skipReinstall: boolean
  readonly skipDriftCheck: boolean
  readonly skipHeal: boolean
  readonly forceReinstall: boolean
  readonly reinstallList: readonly string[]
}

/** What is to be done with instances that stay, decided anew from what each phase has recorded. */
export type UpdateDecision = {
  readonly checksDrift: (instance: ModelNodeInstance) => boolean
  readonly isToUpdate: (instance: ModelNodeInstance) => boolean
  /** The same once their health was looked at. */
  readonly updates: (instance: ModelNodeInstance) => boolean
  readonly heals: (instance: ModelNodeInstance) => boolean
  readonly updatesRelationship: (instance: ModelNodeInstance, edge: ModelRelationshipInstance) => boolean
  /** With why: each that is installed again, and what is contained in it. */
  readonly reinstalled: () => ReadonlyMap<string, ReinstallReason>
}

export type ReinstallReason = 'changed' | 'listed' | 'contained' | 'drift_check_failed' | 'update_failed'

/** docs/reference/deployment-updates.md, "Update or reinstall" */
export function updateDecision(scope: BuildScope, choice: UpdateChoice): UpdateDecision {
  const candidates = new Set(choice.candidates)
  const changed = new Set(choice.changedNodes)
  const isHealthy = healthTest(true)

  const checksDrift = (instance: ModelNodeInstance): boolean => {
    if (choice.skipDriftCheck || !candidates.has(instance.id)) return false
    if (implementsAny(nodeOf(scope, instance).operations, lifecycle, ['check_drift'])) return true
    return relationshipsOf(scope, instance).some(({ declared }) =>
      [declared.source_operations, declared.target_operations].some((side) =>
        implementsAny(side, relationshipLifecycle, ['check_drift']),
      ),
    )
  }
  const driftOf = (instance: ModelNodeInstance): 'none' | 'drifted' | 'failed' => {
    if (!candidates.has(instance.id)) return 'none'
    const node = nodeOf(scope, instance)
    if (choice.skipDriftCheck || !implementsAny(node.operations, lifecycle, ['check_drift'])) {
      return changed.has(node.id) ? 'drifted' : 'none'
    }
    const { ok, result } = found(instance.system_properties?.configuration_drift)
    if (ok === false) return 'failed'
    return isTruthy(result) ? 'drifted' : 'none'
  }
  const isToUpdate = (instance: ModelNodeInstance) =>
    !choice.forceReinstall && driftOf(instance) === 'drifted' && canBeUpdated(nodeOf(scope, instance))
  const isWell = (instance: ModelNodeInstance) => choice.skipHeal || isHealthy(instance)
  const reasonOf = (instance: ModelNodeInstance): ReinstallReason | undefined => {
    if (choice.skipReinstall) return undefined
    if (driftOf(instance) === 'failed') return 'drift_check_failed'
    if (driftOf(instance) === 'none') return undefined
    if (!isToUpdate(instance)) return 'changed'
    const isNoted = instance.system_properties?.update_failed === executionOf(scope)
    return isNoted || !isWell(instance) ? 'update_failed' : undefined
  }
  return {
    checksDrift,
    isToUpdate,
    updates: (instance) => isToUpdate(instance) && isWell(instance),
    heals: (instance) =>
      isToUpdate(instance) &&
      !isHealthy(instance) &&
      canBeHealed(scope, instance) &&
      !hasFailedToHeal(scope, instance),
    updatesRelationship(instance, { target_id: target }) {
      if (!candidates.has(instance.id)) return false
      const { source_relationships_configuration_drift: drifts } = instance.system_properties ?? {}
      const other = scope.instances.get(target)?.system_properties?.target_relationships_configuration_drift
      const isDrifted = [found(drifts)[target], found(other)[instance.id]].some((one) =>
        isTruthy(found(one).result),
      )
      return choice.skipDriftCheck || !checksDrift(instance) ? changed.has(instance.node_id) : isDrifted
    },
    reinstalled() {
      const reasons = new Map<string, ReinstallReason>()
      for (const instance of scope.instances.values()) {
        const reason = reasonOf(instance)
        if (reason !== undefined) reasons.set(instance.id, reason)
      }
      for (const id of choice.reinstallList) if (scope.instances.has(id)) reasons.set(id, 'listed')
      if (reasons.size === 0) return reasons
      const containment = containmentOf(scope)
      for (const id of [...reasons.keys()]) {
        const instance = scope.instances.get(id)
        for (const { id: inner } of instance === undefined ? [] : containment.within(instance)) {
          if (!reasons.has(inner)) reasons.set(inner, 'contained')
        }
      }
      return reasons
    },
  }
}

const lifecycle = 'cloudify.interfaces.lifecycle'
const relationshipLifecycle = 'cloudify.interfaces.relationship_lifecycle'

const canBeUpdated = ({ operations }: ModelNode) =>
  implementsAny(operations, lifecycle, ['update', 'update_config', 'update_apply'])

const implementsAny = (
  operations: ModelNode['operations'],
  interfaceName: string,
  names: readonly string[],
): boolean =>
  names.some((name) => {
    const operation = operations[`${interfaceName}.${name}`]
    return operation !== undefined && (operation.plugin !== '' || operation.operation !== '')
  })

const found = (record: JsonValue | undefined): JsonObject => (isJsonObject(record) ? record : {})

/** As Python tells it, which the operations are written in. */
const isTruthy = (value: JsonValue | undefined): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value)
