import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMetrics } from '@tutti/storage'
import { expect, test } from 'vitest'
import { startContractManager } from '../../test/contract-manager.ts'
import { operationRequest } from '../../test/operation-request.ts'
import { until } from '../../test/until.ts'
import { runOperation } from '../operations/index.ts'
import { openWarmPython } from './warm-python.ts'

test('metrics tell how many operations were forked, and what became of their parents', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tutti-warm-metrics-'))
  const manager = await startContractManager()
  const metrics = createMetrics()
  const warnings: string[] = []
  const log = { warn: (_fields: object, text: string) => void warnings.push(text) }
  const warm = openWarmPython({ metrics, log })
  const value = async (name: string) => (await metrics.getSingleMetric(name)?.get())?.values[0]?.value
  try {
    const text = 'import os\nfrom cloudify import ctx\nctx.returns(os.getppid())'
    const request = operationRequest(
      { folder, port: manager.port },
      { script_source: text, process: { eval_python: true } },
    )
    const outcome = await runOperation(request, warm.start, new AbortController().signal)
    expect(await value('tutti_python_operations_forked_total')).toBe(1)
    expect(await value('tutti_python_parents')).toBe(1)
    expect(await value('tutti_python_parents_lost_total')).toBe(0)
    process.kill(outcome.ok ? Number(outcome.result) : 0, 'SIGKILL')
    await until(() => warnings.length > 0)
    expect(warnings).toEqual([expect.stringContaining('ended unasked')])
    expect(await value('tutti_python_parents_lost_total')).toBe(1)
    expect(await value('tutti_python_parents')).toBe(0)
  } finally {
    await warm.close()
    await manager.close()
    rmSync(folder, { recursive: true })
  }
})
