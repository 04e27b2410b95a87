import { expect, test } from 'vitest'
import { workflowEnded, workflowStarted } from './workflow-events.ts'

test('the events of a workflow have the texts that clients know', () => {
  const live = { resume: false, dryRun: false }
  expect(workflowStarted('install', live, 1)).toMatchObject({
    type: 'workflow_started',
    message: "Starting 'install' workflow execution",
  })
  expect(workflowStarted('install', { resume: true, dryRun: true }, 1).message).toBe(
    "Resuming 'install' workflow execution (dry run)",
  )
  expect(workflowEnded('install', { status: 'failed', error: 'no' }, live, 1)).toMatchObject({
    type: 'workflow_failed',
    message: "'install' workflow execution failed: no",
  })
  expect(workflowEnded('install', { status: 'cancelled' }, live, 1).message).toBe(
    "'install' workflow execution cancelled",
  )
})
