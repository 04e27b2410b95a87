import { randomUUID } from 'node:crypto'
import { type Database, type Heartbeat, startHeartbeat } from '@tutti/storage'
import { apiVersionNumber, distribution, edition, tuttiVersion } from '../version.ts'
import { deleteManager, recordManagerSeen, writeOwnManager } from './queries.ts'

export type OwnManager = {
  /** Unique in the cluster; a process that starts again under its name takes its row over. */
  readonly hostname: string
  readonly privateIp: string
  readonly publicIp: string
}

/**
 * Puts this manager into `GET /managers` and keeps saying that it lives (docs/reference/cluster-and-configuration.md,
 * "Managers").
 */
export async function registerManager(
  db: Database,
  { hostname, privateIp, publicIp }: OwnManager,
  onError: (error: unknown) => void,
): Promise<Heartbeat> {
  await writeOwnManager(db, {
    hostname,
    private_ip: privateIp,
    public_ip: publicIp,
    version: apiVersionNumber,
    edition,
    distribution,
    // What is the operating system elsewhere is Tutti and its version here.
    distro_release: tuttiVersion,
    networks: { default: privateIp },
  })
  return startHeartbeat(
    db,
    {
      id: `${hostname}/${process.pid}/${randomUUID()}`,
      hostname,
      address: privateIp,
      roles: ['api'],
      version: tuttiVersion,
    },
    {
      onError,
      alsoBeat: (transaction) => recordManagerSeen(transaction, hostname),
      alsoLeave: async (transaction) => {
        await deleteManager(transaction, hostname)
      },
    },
  )
}
