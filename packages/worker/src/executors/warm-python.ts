import { Counter, Gauge } from 'prom-client'
import { createParents, type Parents, type StartProcess, startCold, startWarm } from '../operations/index.ts'
import type { ExecutorServices } from '../services.ts'

/** How this worker starts Python: warm where it is to be and can be. */
export function openPython(services: WarmServices, isWarm: boolean): ReturnType<typeof openWarmPython> {
  return isWarm ? openWarmPython(services) : { start: startCold, close: async () => {} }
}

type WarmServices = Pick<ExecutorServices, 'metrics'> & {
  readonly log: Pick<ExecutorServices['log'], 'warn'>
}

/** Parents of Python operations, measured. */
export function openWarmPython({ metrics, log }: WarmServices): {
  readonly start: StartProcess
  close(): Promise<void>
} {
  const registers = [metrics]
  const forked = new Counter({
    name: 'tutti_python_operations_forked_total',
    help: 'Operations that a warm Python process was forked for',
    registers,
  })
  const lost = new Counter({
    name: 'tutti_python_parents_lost_total',
    help: 'Warm Python processes that ended unasked; the next operation starts another',
    registers,
  })
  const events = {
    onFork: () => forked.inc(),
    onLost: () => {
      lost.inc()
      log.warn({}, 'a warm Python process has ended unasked; the next operation starts another')
    },
    onFailure: (reason: string) =>
      log.warn({ reason }, 'Python cannot be kept warm, so it is started for each operation'),
  }
  const parents: Parents = createParents(events)
  new Gauge({
    name: 'tutti_python_parents',
    help: 'Warm Python processes that operations are forked from',
    registers,
    collect() {
      this.set(parents.running)
    },
  })
  return { start: startWarm(parents, events), close: () => parents.close() }
}
