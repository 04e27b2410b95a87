import type { ServiceStatus, Status } from '@tutti/api'
import { type Database, listProcesses, publicReason } from '@tutti/storage'
import { countWaitingJobs, ping } from './queries.ts'

/**
 * What runs and what does not, under the names that clients know (docs/reference/cluster-and-configuration.md,
 * "Status"). The first three are this process, which is answering; the others are looked at now.
 */
export async function readStatus(db: Database): Promise<Status> {
  const [database, queue, workers, schedulers] = await Promise.all([
    check(async () => {
      await ping(db)
      return {}
    }),
    check(async () => ({ waiting_jobs: await countWaitingJobs(db) })),
    check(async () => ({ live_workers: await countLive(db, 'worker') })),
    check(async () => ({ live_schedulers: await countLive(db, 'scheduler') })),
  ])
  const services = {
    Webserver: active({}),
    'Manager Rest-Service': active({}),
    'Cloudify API': active({}),
    PostgreSQL: database,
    'Execution Queue': queue,
    'Management Worker': workers,
    'Cloudify Execution Scheduler': schedulers,
  }
  const isWell = Object.values(services).every((service) => service.status === 'Active')
  return { status: isWell ? 'OK' : 'Fail', services }
}

class NoProcess extends Error {}

/** @throws NoProcess */
async function countLive(db: Database, role: 'worker' | 'scheduler'): Promise<number> {
  const live = (await listProcesses(db)).filter(({ isAlive, roles }) => isAlive && roles.includes(role))
  if (live.length === 0) throw new NoProcess(`No ${role} has reported in the last seconds`)
  return live.length
}

async function check(look: () => Promise<Readonly<Record<string, unknown>>>): Promise<ServiceStatus> {
  try {
    return active({ connection_check: 'OK', ...(await look()) })
  } catch (error) {
    const why = error instanceof NoProcess ? error.message : publicReason(error)
    return { status: 'Inactive', is_remote: false, extra_info: { connection_check: why } }
  }
}

function active(extra_info: Readonly<Record<string, unknown>>): ServiceStatus {
  return { status: 'Active', is_remote: false, extra_info }
}
