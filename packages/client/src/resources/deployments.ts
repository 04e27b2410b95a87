import type { Deployment, DeploymentCapabilities, DeploymentOutputs, Execution } from '@tutti/api'
import type { Call } from '../call.ts'
import { isNotFound } from '../errors.ts'
import { iterate, type ListOptions, list } from '../pages.ts'
import { firstPauseMs, nextPauseMs, type Wait, wait } from '../wait.ts'

export type CreateDeployment = {
  readonly blueprintId: string
  readonly inputs?: Readonly<Record<string, unknown>>
  readonly displayName?: string | undefined
  readonly visibility?: string | undefined
  readonly labels?: readonly (readonly [string, string])[]
  /** Answer before nodes and node instances are there; follow `create_execution`. */
  readonly isAsync?: boolean
}

export type DeleteDeployment = { readonly force?: boolean; readonly recursive?: boolean }

export const deploymentMethods = (call: Call) => ({
  list: (options?: ListOptions<'deployments.list'>) => list(call, 'deployments.list', options),
  iterate: (options?: ListOptions<'deployments.list'>) => iterate(call, 'deployments.list', options),
  get: (id: string): Promise<Deployment> => call('deployments.get', { params: { deployment_id: id } }),
  create: (id: string, given: CreateDeployment): Promise<Deployment> =>
    call('deployments.create', {
      params: { deployment_id: id },
      query: { async_create: given.isAsync ?? false },
      body: {
        blueprint_id: given.blueprintId,
        inputs: { ...given.inputs },
        ...(given.displayName === undefined ? {} : { display_name: given.displayName }),
        ...(given.visibility === undefined ? {} : { visibility: given.visibility }),
        ...(given.labels === undefined
          ? {}
          : { labels: given.labels.map(([key, value]) => ({ [key]: value })) }),
      },
    }),
  setLabels: (id: string, labels: readonly (readonly [string, string])[]): Promise<Deployment> =>
    call('deployments.update', {
      params: { deployment_id: id },
      body: { labels: labels.map(([key, value]) => ({ [key]: value })) },
    }),
  outputs: (id: string): Promise<DeploymentOutputs> =>
    call('deployments.outputs', { params: { deployment_id: id } }),
  capabilities: (id: string): Promise<DeploymentCapabilities> =>
    call('deployments.capabilities', { params: { deployment_id: id } }),
  /** Answers at once; the row goes when `delete_deployment_environment` has run. */
  delete: (id: string, options: DeleteDeployment = {}): Promise<undefined> =>
    call('deployments.delete', {
      params: { deployment_id: id },
      query: { force: options.force ?? false, recursive: options.recursive ?? false },
    }),
  waitUntilDeleted: (id: string, signal?: AbortSignal, pause: Wait = wait) =>
    waitUntilDeleted(call, id, signal, pause),
})

/**
 * Polls until the deployment is gone (undefined), or the execution that deletes it has failed or was
 * cancelled (that execution).
 */
async function waitUntilDeleted(
  call: Call,
  id: string,
  signal: AbortSignal | undefined,
  pause: Wait,
): Promise<Execution | undefined> {
  const newest = {
    deployment_id: id,
    workflow_id: 'delete_deployment_environment',
    _sort: '-created_at',
    _size: 1,
  }
  for (let pauseMs = firstPauseMs; ; pauseMs = nextPauseMs(pauseMs)) {
    const { items } = await list(call, 'executions.list', { query: newest, signal })
    const isGone = await call('deployments.get', { params: { deployment_id: id }, signal }).then(
      () => false,
      (error: unknown) => {
        if (isNotFound(error)) return true
        throw error
      },
    )
    if (isGone) return undefined
    const [execution] = items
    if (execution !== undefined && ['failed', 'cancelled'].includes(execution.status)) return execution
    await pause(pauseMs, signal)
  }
}
