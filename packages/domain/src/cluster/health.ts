import type { Health, NodeMetric, NodeService, NodeStatus, NodeTypeStatus } from '@tutti/api'

/** One thing that runs as part of a service: a process of Tutti, the database, the queue. */
export type Instance = { readonly id: string; readonly description: string; readonly isRunning: boolean }

/** A service is active while any of its instances runs. */
export function nodeService(name: string, instances: readonly Instance[]): NodeService {
  return {
    status: instances.some(({ isRunning }) => isRunning) ? 'Active' : 'Inactive',
    extra_info: {
      systemd: {
        display_name: name,
        unit_id: `tutti-${name.toLowerCase().replaceAll(' ', '-')}`,
        instances: instances.map(({ id, description, isRunning }) => ({
          Id: id,
          Description: description,
          state: isRunning ? 'running' : 'stopped',
        })),
      },
    },
  }
}

/** A node fails with any of its services or metrics (docs/reference/cluster-and-configuration.md, "Cluster status"). */
export function nodeStatus(node: Omit<NodeStatus, 'status' | 'failures'>): NodeStatus {
  const services = Object.entries(node.services)
  const failures = [
    ...(services.length === 0 ? ['No services.'] : []),
    ...(node.metrics.length === 0 ? ['No metrics'] : []),
    ...services.flatMap(([name, { status }]) => (status === 'Active' ? [] : [`Service ${name} not active.`])),
    ...node.metrics.flatMap(({ healthy, metric_name }) =>
      healthy ? [] : [`Metric ${metric_name} not healthy.`],
    ),
  ]
  return { status: failures.length === 0 ? 'OK' : 'Fail', ...node, failures }
}

export const metric = (type: string, name: string, healthy: boolean, at: Date): NodeMetric => ({
  last_check: at.toISOString(),
  healthy,
  metric_type: type,
  metric_name: name,
})

/** All well: OK; at least the quorum: Degraded; else Fail. One manager is enough, of the others it takes most. */
export function typeStatus(
  nodes: Readonly<Record<string, NodeStatus>>,
  { quorum, isExternal }: { readonly quorum: 'one' | 'majority'; readonly isExternal: boolean },
): NodeTypeStatus {
  const all = Object.values(nodes)
  const well = all.filter(({ status }) => status === 'OK').length
  const needed = quorum === 'one' ? 1 : Math.floor(all.length / 2) + 1
  const status = well < needed ? 'Fail' : well === all.length ? 'OK' : 'Degraded'
  return { status, is_external: isExternal, nodes }
}

const badness: readonly Health[] = ['OK', 'Degraded', 'Fail']

/** OK where there is none. */
export function worst(all: readonly Health[]): Health {
  return badness[Math.max(0, ...all.map((one) => badness.indexOf(one)))] ?? 'Fail'
}
