import { randomBytes, randomUUID } from 'node:crypto'
import { hashPassword, sha256 } from '@tutti/domain/authentication'
import { type Database, toJson } from '@tutti/storage'
import { sql } from 'kysely'
import { passwordOf } from './password-of.ts'

/** Rows that tests of the REST service begin with, written as workers and other requests would have left them. */

export async function addTenant(db: Database, name: string): Promise<number> {
  const { id } = await db.insertInto('tenants').values({ name }).returning('id').executeTakeFirstOrThrow()
  return id
}

/** A hash says itself how much work it is: those of test users are checked in no time. */
const cheapWork = { memoryCost: 8, timeCost: 1 }

/** A user with the password `passwordOf(username)` and the given roles by tenant id. */
export async function addUser(
  db: Database,
  username: string,
  options: { readonly role?: string; readonly tenants?: Readonly<Record<number, string>> } = {},
): Promise<number> {
  const { id } = await db
    .insertInto('users')
    .values({
      username,
      password_hash: await hashPassword(passwordOf(username), cheapWork),
      role: options.role ?? 'default',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const roles = Object.entries(options.tenants ?? {})
  if (roles.length > 0) {
    await db
      .insertInto('user_tenants')
      .values(roles.map(([tenant, role]) => ({ tenant_id: Number(tenant), user_id: id, role })))
      .execute()
  }
  return id
}

type Owner = {
  readonly tenantId?: number
  readonly visibility?: 'private' | 'tenant' | 'global'
  readonly createdBy?: string
}

const owner = ({ tenantId = 0, visibility = 'tenant', createdBy = 'admin' }: Owner) => ({
  tenant_id: tenantId,
  visibility,
  created_by: createdBy,
})

export type TestNode = {
  readonly id: string
  readonly type?: string
  readonly hostId?: string
  readonly properties?: unknown
  readonly relationships?: unknown
  readonly instances?: readonly TestInstance[]
}

export type TestInstance = {
  readonly id: string
  readonly state?: string
  readonly runtimeProperties?: unknown
  readonly systemProperties?: unknown
  readonly relationships?: unknown
  readonly scalingGroups?: unknown
}

export async function addBlueprint(
  db: Database,
  id: string,
  options: Owner & { readonly archiveSha256?: string } = {},
): Promise<void> {
  await db
    .insertInto('blueprints')
    .values({ ...owner(options), id, state: 'uploaded', archive_sha256: options.archiveSha256 ?? null })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** A deployment with its nodes, of a blueprint that is made along with it unless it exists. */
export async function addDeployment(
  db: Database,
  id: string,
  options: Owner & {
    readonly blueprintId?: string
    readonly displayName?: string
    readonly inputs?: unknown
    readonly outputs?: unknown
    readonly capabilities?: unknown
    readonly scalingGroups?: unknown
    readonly nodes?: readonly TestNode[]
  } = {},
): Promise<void> {
  const { blueprintId = 'blueprint', nodes = [] } = options
  const owned = owner(options)
  await addBlueprint(db, blueprintId, options)
  await db
    .insertInto('deployments')
    .values({
      ...owned,
      id,
      blueprint_id: blueprintId,
      blueprint_tenant_id: owned.tenant_id,
      display_name: options.displayName ?? id,
      inputs: toJson(options.inputs ?? {}),
      outputs: toJson(options.outputs ?? {}),
      capabilities: toJson(options.capabilities ?? {}),
      scaling_groups: toJson(options.scalingGroups ?? {}),
    })
    .execute()
  for (const [position, node] of nodes.entries()) {
    const count = node.instances?.length ?? 0
    await db
      .insertInto('nodes')
      .values({
        ...owned,
        deployment_id: id,
        id: node.id,
        position,
        type: node.type ?? 'cloudify.nodes.Root',
        type_hierarchy: toJson(['cloudify.nodes.Root']),
        host_id: node.hostId ?? null,
        properties: toJson(node.properties ?? {}),
        operations: '{}',
        plugins: '[]',
        relationships: toJson(node.relationships ?? []),
        number_of_instances: count,
        planned_number_of_instances: count,
        deploy_number_of_instances: count,
        min_number_of_instances: 0,
        max_number_of_instances: -1,
      })
      .execute()
    for (const [index, instance] of (node.instances ?? []).entries()) {
      await db
        .insertInto('node_instances')
        .values({
          ...owned,
          id: instance.id,
          deployment_id: id,
          node_id: node.id,
          host_id: null,
          instance_index: index + 1,
          state: instance.state ?? 'uninitialized',
          runtime_properties: toJson(instance.runtimeProperties ?? {}),
          system_properties: toJson(instance.systemProperties ?? {}),
          relationships: toJson(instance.relationships ?? []),
          scaling_groups: toJson(instance.scalingGroups ?? []),
        })
        .execute()
    }
  }
}

/** An execution, started unless said otherwise, with the token that its operations call with. */
export async function addExecution(
  db: Database,
  options: Owner & {
    readonly deploymentId?: string
    readonly workflowId?: string
    readonly status?: string
    readonly isDryRun?: boolean
  } = {},
): Promise<{ id: string; token: string }> {
  const id = randomUUID()
  const token = randomBytes(20).toString('hex')
  const { deploymentId } = options
  await db
    .insertInto('executions')
    .values({
      ...owner(options),
      id,
      workflow_id: options.workflowId ?? 'install',
      status: options.status ?? 'started',
      is_dry_run: options.isDryRun ?? false,
      deployment_id: deploymentId ?? null,
      deployment_display_name: deploymentId ?? null,
      blueprint_id: sql`coalesce((
        select blueprint_id from deployments where tenant_id = ${owner(options).tenant_id} and id = ${deploymentId ?? null}
      ), ${deploymentId === undefined ? null : 'blueprint'})`,
      token_hash: sha256(token),
      lease_owner: null,
    })
    .execute()
  return { id, token }
}

/** A plugin that was uploaded, with a YAML file; nothing is in its wagon. */
export async function addPlugin(
  db: Database,
  id: string,
  options: Owner & {
    readonly packageName?: string
    readonly version?: string
    readonly agents?: readonly string[]
  } = {},
): Promise<void> {
  const { packageName = id, version = '1.0', agents = [] } = options
  const owned = owner(options)
  await db
    .insertInto('archives')
    .values({ sha256: sha256(''), size: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await db
    .insertInto('plugins')
    .values({
      ...owned,
      id,
      title: packageName,
      package_name: packageName,
      package_version: version,
      archive_name: `${packageName}-${version}.wgn`,
      archive_sha256: sha256(''),
    })
    .execute()
  const { tenant_id } = owned
  await db
    .insertInto('plugin_files')
    .values({ tenant_id, plugin_id: id, name: 'plugin.yaml', content: Buffer.from(`# ${packageName}`) })
    .execute()
  for (const agent of agents) {
    await db
      .insertInto('plugin_states')
      .values({ tenant_id, plugin_id: id, agent_tenant_id: tenant_id, agent, state: 'installed' })
      .execute()
  }
}
