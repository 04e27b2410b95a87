import { systemWorkflowNames } from '@tutti/engine'
import { expect, test } from 'vitest'
import { findSystemWorkflow } from './index.ts'
import { UploadFailure } from './upload-failure.ts'

test('a system workflow is found by exactly its name', () => {
  for (const name of systemWorkflowNames) expect(findSystemWorkflow(name)).toBeTypeOf('function')
  for (const name of ['install', 'constructor', '__proto__', 'Upload_blueprint', '']) {
    expect(findSystemWorkflow(name)).toBeUndefined()
  }
})

test('why an upload failed holds no password of an address', () => {
  const failure = new UploadFailure('failed_uploading', 'GET https://me:secret@example.com/a.zip: 404')
  expect(failure.message).not.toContain('secret')
  expect(failure).toMatchObject({ name: 'UploadFailure', state: 'failed_uploading' })
})
