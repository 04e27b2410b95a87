import { settingDefault } from '@tutti/api'
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { ExecutionJob, Queue } from '../queue.ts'
import { isInMaintenance } from '../shared/maintenance.ts'

/** Directly started executions have no limit; dequeued ones start while fewer than this are active. */
const maxConcurrentWorkflows = sql`coalesce(
  (select value::text::int from config where scope = 'rest' and name = 'max_concurrent_workflows'),
  ${settingDefault('max_concurrent_workflows')})`

/** How long a worker has to fetch a fresh job before the sweep for abandoned executions offers it again. */
export const pickUpMs = 4_000

/**
 * Starts what waits and may run now; called in the transaction that ends an execution. The oldest queued system
 * workflow goes first and alone; otherwise the oldest of each deployment that has nothing active, environment
 * creation before others. Of a group, no more are active than it allows: what it has no room for stands aside and holds
 * nothing else up. In maintenance mode nothing starts. spec/workflows.md 6.2.
 */
export async function dequeueExecutions(transaction: Database, queue: Queue): Promise<void> {
  // Nearly always nothing waits, and then ends need not wait for each other's commits: taken by every end, the lock
  // halved the rate of small installs. An execution that is just being queued for this deployment is not missed: its
  // request and the end's write of the status both hold the deployment's row.
  const { rows: waiting } = await sql`
    select from executions where status = 'queued' and not ${isInMaintenance} limit 1`.execute(transaction)
  if (waiting.length === 0) return
  // One dequeuer at a time: two ends at once must not both start the same deployment's next execution.
  await sql`select pg_advisory_xact_lock(hashtext('tutti.dequeue'))`.execute(transaction)
  const { rows } = await sql<ExecutionJob>`
    with active as (
      select tenant_id, deployment_id, is_system_workflow, execution_group_id from executions
      where status in ('pending', 'started', 'cancelling', 'force_cancelling', 'kill_cancelling')
    ), oldest_system as (
      select tenant_id, id from executions
      where status = 'queued' and is_system_workflow
      order by created_at, id limit 1
    ), groups as (
      select g.tenant_id, g.id, g.concurrency - (
        select count(*) from active a where a.tenant_id = g.tenant_id and a.execution_group_id = g.id) as room
      from execution_groups g
      where (g.tenant_id, g.id) in (
        select tenant_id, execution_group_id from executions
        where status = 'queued' and execution_group_id is not null)
    ), candidates as (
      select distinct on (e.tenant_id, e.deployment_id)
        e.tenant_id, e.id, e.created_at, e.execution_group_id, g.room
      from executions e
      left join groups g on g.tenant_id = e.tenant_id and g.id = e.execution_group_id
      where e.status = 'queued' and not e.is_system_workflow
        and not exists (select from oldest_system)
        and not exists (select from active where is_system_workflow)
        and not exists (select from active a where a.tenant_id = e.tenant_id and a.deployment_id = e.deployment_id)
        and (e.execution_group_id is null or g.room > 0)
        and (e.workflow_id = 'create_deployment_environment' or not exists (
          select from executions c where c.tenant_id = e.tenant_id and c.deployment_id = e.deployment_id
            and c.status = 'queued' and c.workflow_id = 'create_deployment_environment'))
      order by e.tenant_id, e.deployment_id,
        (e.workflow_id <> 'create_deployment_environment'), e.created_at, e.id
    ), in_turn as (
      select tenant_id, id, created_at, execution_group_id, room,
        row_number() over (partition by tenant_id, execution_group_id order by created_at, id) as turn
      from candidates
    ), chosen as (
      select tenant_id, id from oldest_system where not exists (select from active)
      union all
      (select tenant_id, id from in_turn where execution_group_id is null or turn <= room
       order by created_at, id
       limit greatest(0, ${maxConcurrentWorkflows} - (select count(*) from active)))
    ), free as (
      -- A row that somebody else is at, to cancel it for example, is passed over: waiting for it here would be a deadlock
      -- with whoever holds it and then comes here too.
      select e.tenant_id, e.id from executions e join chosen using (tenant_id, id)
      where e.status = 'queued'
      for no key update of e skip locked
    )
    update executions e
    set status = 'pending', lease_owner = null,
      lease_expires_at = clock_timestamp() + ${pickUpMs} * interval '1 millisecond'
    from free
    where e.tenant_id = free.tenant_id and e.id = free.id
    returning e.tenant_id as "tenantId", e.id as "executionId"`.execute(transaction)
  await queue.enqueue(transaction, rows)
}
