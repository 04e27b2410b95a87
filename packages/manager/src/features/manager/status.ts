import type { ServiceStatus, Status } from '@tutti/api'
import type { Database } from '@tutti/storage'
import { countLiveWorkers, countWaitingJobs, ping } from './queries.ts'
import { freshMs } from './registration.ts'

/**
 * What runs and what does not, under the names that clients know (spec/rest-facts-b.md 11). The first three are
 * this process, which is answering; the others are looked at now.
 */
export async function readStatus(db: Database): Promise<Status> {
  const [database, queue, workers] = await Promise.all([
    check(async () => {
      await ping(db)
      return {}
    }),
    check(async () => ({ waiting_jobs: await countWaitingJobs(db) })),
    check(async () => {
      const live = await countLiveWorkers(db, freshMs)
      if (live === 0) throw new Error(`No worker has reported in the last ${freshMs / 1000} seconds`)
      return { live_workers: live }
    }),
  ])
  const services = {
    Webserver: active({}),
    'Manager Rest-Service': active({}),
    'Cloudify API': active({}),
    PostgreSQL: database,
    'Execution Queue': queue,
    'Management Worker': workers,
    // Every worker offers itself as scheduler, so one lives as long as a worker does.
    'Cloudify Execution Scheduler': workers,
  }
  const isWell = Object.values(services).every((service) => service.status === 'Active')
  return { status: isWell ? 'OK' : 'Fail', services }
}

async function check(look: () => Promise<Readonly<Record<string, unknown>>>): Promise<ServiceStatus> {
  try {
    return active({ connection_check: 'OK', ...(await look()) })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { status: 'Inactive', is_remote: false, extra_info: { connection_check: why } }
  }
}

function active(extra_info: Readonly<Record<string, unknown>>): ServiceStatus {
  return { status: 'Active', is_remote: false, extra_info }
}
