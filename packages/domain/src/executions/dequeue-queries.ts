import { settingDefault } from '@tutti/api'
import type { Database, ExecutionJob, Queue, Transaction } from '@tutti/storage'
import { isActiveOrQueued, isInMaintenance, offered, recorded } from '@tutti/storage'
import { sql } from 'kysely'

/** Directly started executions have no limit; dequeued ones start while fewer than this are active. */
const maxConcurrentWorkflows = sql`coalesce(
  (select value::text::int from config where scope = 'rest' and name = 'max_concurrent_workflows'),
  ${settingDefault('max_concurrent_workflows')})`

/**
 * Nearly always nothing waits, and then nobody need wait for the lock. An execution that is just being queued for a
 * deployment is not missed: its request and the end's write of the status both hold the deployment's row.
 */
export async function mayDequeue(db: Database): Promise<boolean> {
  const { rows } = await sql`
    select from executions
    where status = 'queued' and lease_owner is distinct from ${recorded} and not ${isInMaintenance} limit 1`.execute(
    db,
  )
  return rows.length > 0
}

/**
 * Starts what waits and may run now; called after executions have ended, once for all that ended meanwhile, or in the
 * transaction that ends one. The oldest queued system workflow goes first and alone; otherwise the oldest of each
 * deployment that has nothing active, environment creation before others. Of a group, no more are active than it allows:
 * what it has no room for stands aside and holds nothing else up. In maintenance mode nothing starts.
 * docs/reference/executions.md, "Dequeue".
 */
export async function dequeueExecutions(transaction: Transaction, queue: Queue): Promise<void> {
  if (!(await mayDequeue(transaction))) return
  // One dequeuer at a time: two ends at once must not both start the same deployment's next execution.
  await sql`select pg_advisory_xact_lock(hashtext('tutti.dequeue'))`.execute(transaction)
  const { rows } = await sql<ExecutionJob>`
    with unfinished as materialized (
      select tenant_id, id, deployment_id, workflow_id, is_system_workflow, execution_group_id, created_at,
        status <> 'queued' as is_active
      from executions where ${isActiveOrQueued}
    ), oldest_system as (
      select tenant_id, id from unfinished
      where not is_active and is_system_workflow
      order by created_at, id limit 1
    ), groups as (
      select g.tenant_id, g.id, g.concurrency - u.at_work as room
      from (
        select tenant_id, execution_group_id, count(*) filter (where is_active) as at_work
        from unfinished where execution_group_id is not null group by tenant_id, execution_group_id
      ) as u
      join execution_groups g on g.tenant_id = u.tenant_id and g.id = u.execution_group_id
    ), by_deployment as (
      -- In one pass: looking for the others of each deployment by itself took 50 ms with 1,000 in the queue.
      select *,
        deployment_id is not null and bool_or(is_active) over others as is_busy,
        deployment_id is not null and bool_or(not is_active and workflow_id = 'create_deployment_environment')
          over others as waits_for_creation
      from unfinished window others as (partition by tenant_id, deployment_id)
    ), candidates as (
      select distinct on (e.tenant_id, e.deployment_id)
        e.tenant_id, e.id, e.created_at, e.execution_group_id, g.room
      from by_deployment e
      left join groups g on g.tenant_id = e.tenant_id and g.id = e.execution_group_id
      where not e.is_active and not e.is_system_workflow and not e.is_busy
        and not exists (select from oldest_system)
        and not exists (select from unfinished where is_active and is_system_workflow)
        and (e.execution_group_id is null or g.room > 0)
        and (e.workflow_id = 'create_deployment_environment' or not e.waits_for_creation)
      order by e.tenant_id, e.deployment_id,
        (e.workflow_id <> 'create_deployment_environment'), e.created_at, e.id
    ), in_turn as (
      select tenant_id, id, created_at, execution_group_id, room,
        row_number() over (partition by tenant_id, execution_group_id order by created_at, id) as turn
      from candidates
    ), chosen as (
      select tenant_id, id from oldest_system where not exists (select from unfinished where is_active)
      union all
      (select tenant_id, id from in_turn where execution_group_id is null or turn <= room
       order by created_at, id
       limit greatest(0, ${maxConcurrentWorkflows} - (select count(*) from unfinished where is_active)))
    ), free as (
      -- A row that somebody else is at, to cancel it for example, is passed over: waiting for it here would be a deadlock
      -- with whoever holds it and then comes here too.
      select e.tenant_id, e.id from chosen cross join lateral (
        select tenant_id, id from executions
        where tenant_id = chosen.tenant_id and id = chosen.id and status = 'queued'
        for no key update skip locked) as e
    )
    update executions e
    set status = 'pending', lease_owner = ${offered.lease_owner}, lease_expires_at = ${offered.lease_expires_at}
    from free
    where e.tenant_id = free.tenant_id and e.id = free.id
    returning e.tenant_id as "tenantId", e.id as "executionId"`.execute(transaction)
  await queue.enqueue(transaction, rows)
}
