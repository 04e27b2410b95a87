import type { OperationRecord } from '@tutti/engine'
import { expect, test } from 'vitest'
import { eventRows } from './event-rows.ts'

const record: OperationRecord = {
  ...{ isLog: true, timestampMs: 5, message: 'text', type: null, level: 'info', logger: 'ctx.a' },
  ...{ operation: 'create', nodeInstanceId: 'own_1', sourceId: 's', targetId: 't', errorCauses: [] },
}
const nodeOf = (id: string) => (id === 'own_1' ? 'own' : null)

test('what an operation has said is a row as what is sent to the manager', () => {
  expect(eventRows([record], nodeOf)).toEqual([
    {
      ...{
        isLog: true,
        reportedAt: new Date(5),
        eventType: null,
        level: 'info',
        logger: 'ctx.a',
        message: 'text',
      },
      ...{ operation: 'create', nodeInstanceId: 'own_1', nodeId: 'own', sourceId: 's', targetId: 't' },
      errorCauses: null,
    },
  ])
})

test('an instance of another deployment is not named', () => {
  expect(eventRows([{ ...record, nodeInstanceId: 'other_1' }], nodeOf)).toMatchObject([
    { nodeInstanceId: null, nodeId: null, message: 'text' },
  ])
})
