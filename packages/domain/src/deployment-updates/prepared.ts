import type { UpdateChanges } from '@tutti/dsl'
import type { ReinstallReason, UpdateRun } from '@tutti/engine'
import { type Transaction, toJson } from '@tutti/storage'
import { changeUpdate, json, type UpdateRow } from './queries.ts'

/** What an update comes to, once it is computed (docs/reference/deployment-updates.md, "What it shows"). */
export type PreparedUpdate = Pick<UpdateChanges, 'nodes' | 'nodeInstances' | 'modifiedEntityIds'> & {
  readonly steps: readonly object[]
  /** The new deployment plan, as shared text. */
  readonly plan: { readonly text: string | Uint8Array; readonly parts: string | Uint8Array | null }
  /** The inputs as the new plan has them. */
  readonly inputs: string
  readonly deployment: object
  readonly centralPlugins: { readonly install: readonly unknown[]; readonly uninstall: readonly unknown[] }
  readonly labels: readonly { readonly key: string; readonly value: string }[]
  readonly instanceChanges: readonly InstanceChange[]
  readonly run: UpdateRun
  /** `deploymentDigest` of what it was computed from. */
  readonly planOf: string
}

/** What happens to an instance that stays. */
export type InstanceChange = {
  readonly id: string
  readonly node_id: string
  /** `check_drift`: its node says itself whether it has drifted, and only then is something done with it. */
  readonly change: 'check_drift' | 'update' | 'reinstall'
  /** Its node has `changed`, it is `listed` in the request, or `contained` in one that is installed again. */
  readonly because: 'checked' | ReinstallReason
}

/** Stores it with the update, which its workflow then goes by. */
export async function storePrepared(
  transaction: Transaction,
  { tenantId, id }: UpdateRow,
  prepared: PreparedUpdate,
): Promise<void> {
  await changeUpdate(transaction, tenantId, id, {
    new_inputs: prepared.inputs,
    steps: toJson(prepared.steps),
    deployment_plan: prepared.plan.text,
    deployment_plan_parts: prepared.plan.parts,
    deployment_update_deployment: toJson(prepared.deployment),
    deployment_update_nodes: toJson(prepared.nodes),
    deployment_update_node_instances: toJson(prepared.nodeInstances),
    modified_entity_ids: toJson(prepared.modifiedEntityIds),
    central_plugins_to_install: toJson(prepared.centralPlugins.install),
    central_plugins_to_uninstall: toJson(prepared.centralPlugins.uninstall),
    labels_to_create: json(prepared.labels),
    instance_changes: toJson(prepared.instanceChanges),
    run: toJson(prepared.run),
    plan_of: prepared.planOf,
  })
}
