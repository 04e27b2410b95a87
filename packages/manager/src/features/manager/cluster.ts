import type { Broker, DbNode, ManagerNode } from '@tutti/api'
import { apiVersionNumber } from '../../version.ts'
import type { ManagerRow } from './queries.ts'
import { heartbeatMs } from './registration.ts'

export const edition = 'premium'
export const distribution = 'tutti'

/** spec/rest-spec-b.md 2.3. What is the operating system elsewhere is Tutti and its version here. */
export function managerNode(row: ManagerRow): ManagerNode {
  return {
    id: row.id,
    hostname: row.hostname,
    private_ip: row.private_ip,
    public_ip: row.public_ip,
    version: apiVersionNumber,
    edition,
    distribution,
    distro_release: row.version,
    fs_sync_node_id: null,
    networks: { default: row.private_ip },
    ca_cert_content: null,
    last_seen: row.last_seen.toISOString(),
    status_report_frequency: heartbeatMs / 1000,
  }
}

/**
 * Tutti needs no broker: its queue is in the database. One is shown at the first manager's address, because clients
 * take equal addresses of manager, broker and database for an all-in-one manager (spec/rest-facts-a.md 18).
 */
export function brokerOf(row: ManagerRow): Broker {
  return {
    name: row.hostname,
    host: row.private_ip,
    management_host: null,
    port: 5671,
    username: null,
    password: null,
    params: {},
    networks: { default: row.private_ip },
    is_external: false,
    ca_cert_content: null,
  }
}

export function dbNodeOf(row: ManagerRow): DbNode {
  return { name: row.hostname, host: row.private_ip, is_external: false }
}
