import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Gate, openGate } from '../../../test/gate.ts'
import { gatedBlueprint, gatedWorkflows } from '../../../test/gated-workflows.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

let system: TestSystem
let gate: Gate
let folder: string

beforeAll(async () => {
  folder = await gatedWorkflows()
  process.env.PYTHONPATH = folder
  system = await startTestSystem()
  gate = await openGate()
  await system.upload('gated', gatedBlueprint(gate.port))
})
afterAll(async () => {
  await system.close()
  await gate.close()
  await rm(folder, { recursive: true })
})

let next = 0
async function started(workflow: string) {
  const id = `gated${next++}`
  await system.deploy(id, 'gated')
  return system.start(id, workflow)
}
async function called(who: string) {
  const call = await gate.next()
  expect(call.who).toBe(who)
  return call
}
async function answer(who: string, how: 'ok' | 'fail' = 'ok') {
  const call = await called(who)
  call.answer(how)
  return call
}
const act = (execution: string, action: string) =>
  system.inject('POST', `/executions/${execution}`, { body: { action } })

const notResumable = 'Cannot resume - workflow not resumable'

test('a resumable workflow whose process is killed goes on, and what was done is not done again', async () => {
  const execution = await started('sequential')
  const began = await answer('began')
  const first = await called('first call')
  process.kill(began.pid, 'SIGKILL')
  // Its operation goes on, and the next process waits for it.
  expect(await answer('began')).toMatchObject({ resume: true })
  first.answer('ok')
  const between = await called('between')
  process.kill(between.pid, 'SIGKILL')
  await answer('began')
  await answer('between')
  expect((await answer('second call')).resume).toBe(false)
  expect(await system.ended(execution)).toMatchObject({ status: 'terminated', error: '' })
})

test('one that is not resumable fails, once what it has sent has ended', async () => {
  const execution = await started('once_sequential')
  const began = await answer('began')
  const first = await called('first call')
  process.kill(began.pid, 'SIGKILL')
  first.answer('ok')
  expect(await system.ended(execution)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining(notResumable),
  })
})

test('one that is not resumable fails, whatever its process was at', async () => {
  for (const stages of [
    ['began', 'first call', 'handler'],
    ['began', 'first call', 'handler', 'local'],
  ]) {
    const execution = await started('once_unnamed')
    for (const stage of stages.slice(0, -1)) await answer(stage)
    const at = await called(stages.at(-1) ?? '')
    process.kill(at.pid, 'SIGKILL')
    expect(await system.ended(execution)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining(notResumable),
    })
  }
})

test('a worker that ends while the workflow is at work leaves it to the next one', async () => {
  const execution = await started('unnamed')
  for (const stage of ['began', 'first call', 'handler']) await answer(stage)
  await called('local')
  await system.restartWorker()
  for (const stage of ['began', 'local', 'second call']) await answer(stage)
  expect(await system.ended(execution)).toMatchObject({ status: 'terminated', error: '' })
})

test.each(['named', 'unnamed'])('a %s graph is the same one for the next process', async (workflow) => {
  const execution = await started(workflow)
  const began = await answer('began')
  await answer('first call')
  await called('handler')
  process.kill(began.pid, 'SIGKILL')
  const again = await answer('began')
  expect(again.resume).toBe(true)
  // The handler is asked again, and the operation does not run again.
  await answer('handler')
  if (workflow === 'unnamed') {
    const local = await called('local')
    expect(local.pid).toBe(again.pid)
    local.answer('ok')
  }
  await answer('second call')
  expect(await system.ended(execution)).toMatchObject({ status: 'terminated', error: '' })
})

test('a lifecycle goes on without its process, and is not begun again', async () => {
  const execution = await started('lifecycle')
  const began = await answer('began')
  const calls = [await gate.next(), await gate.next()]
  expect(calls.map(({ who }) => who).sort()).toEqual(['first create', 'second create'])
  process.kill(began.pid, 'SIGKILL')
  await answer('began')
  for (const call of calls) call.answer('ok')
  expect(await system.ended(execution)).toMatchObject({ status: 'terminated', error: '' })
})

test('cancel ends it at once where it waits, and is seen by its own code where it does not', async () => {
  const waiting = await started('sequential')
  await answer('began')
  const first = await called('first call')
  await act(waiting, 'cancel')
  expect(await system.ended(waiting)).toMatchObject({ status: 'cancelled', error: '' })
  first.answer('ok')

  const polling = await started('polling')
  await answer('began')
  await act(polling, 'cancel')
  await answer('saw it')
  expect(await system.ended(polling)).toMatchObject({ status: 'cancelled' })

  const graph = await started('unnamed')
  await answer('began')
  const operation = await called('first call')
  await act(graph, 'cancel')
  expect(await system.ended(graph)).toMatchObject({ status: 'cancelled', error: '' })
  operation.answer('ok')
})

test.each(['force-cancel', 'kill'])('%s waits for no code of the workflow', async (action) => {
  for (const [workflow, stages] of [
    ['sequential', ['began']],
    ['unnamed', ['began', 'first call', 'handler']],
    ['unnamed', ['began', 'first call', 'handler', 'local']],
  ] as const) {
    const execution = await started(workflow)
    for (const stage of stages.slice(0, -1)) await answer(stage)
    const hanging = await called(stages.at(-1) ?? '')
    await act(execution, action)
    expect(await system.ended(execution)).toMatchObject({ status: 'cancelled' })
    await hanging.gone
  }
})

test('a failed one is resumed: what succeeded stays, what failed is tried again', async () => {
  for (const workflow of ['sequential', 'named', 'unnamed']) {
    const execution = await started(workflow)
    await answer('began')
    await answer('first call', 'fail')
    expect(await system.ended(execution)).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('told to fail'),
    })
    await act(execution, 'resume')
    expect((await answer('began')).resume).toBe(true)
    await answer('first call')
    if (workflow === 'sequential') await answer('between')
    else await answer('handler')
    if (workflow === 'unnamed') await answer('local')
    await answer('second call', 'fail')
    expect((await system.ended(execution)).status).toBe('failed')
    await act(execution, 'resume')
    await answer('began')
    if (workflow === 'sequential') await answer('between')
    await answer('second call')
    expect(await system.ended(execution)).toMatchObject({ status: 'terminated', error: '' })
  }
})

test('a cancelled one is resumed after what had been sent has ended', async () => {
  const execution = await started('sequential')
  await answer('began')
  const first = await called('first call')
  await act(execution, 'cancel')
  await system.ended(execution)
  await act(execution, 'resume')
  first.answer('ok')
  await answer('began')
  await answer('between')
  await answer('second call')
  expect(await system.ended(execution)).toMatchObject({ status: 'terminated', error: '' })

  const once = await started('once_sequential')
  await answer('began', 'fail')
  await system.ended(once)
  await act(once, 'resume')
  expect(await system.ended(once)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining(notResumable),
  })
})
