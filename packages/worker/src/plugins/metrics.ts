import type { Registry } from '@tutti/storage'
import { Counter, Histogram } from 'prom-client'

export type PluginMetrics = ReturnType<typeof pluginMetrics>

export function pluginMetrics(metrics: Registry) {
  const registers = [metrics]
  return {
    installed: new Counter({
      name: 'tutti_plugin_installations_total',
      help: 'Installations of plugins on this worker',
      labelNames: ['outcome'],
      registers,
    }),
    seconds: new Histogram({
      name: 'tutti_plugin_installation_seconds',
      help: 'How long installations of plugins took that succeeded',
      buckets: [0.5, 1, 2, 5, 10, 30, 60, 120, 300, 900],
      registers,
    }),
  }
}
