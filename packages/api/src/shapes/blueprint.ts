import { type Static, Type } from 'typebox'
import { fieldTable } from '../list/field-table.ts'
import { JsonObject, Nullable, ownerFields, Shape, Timestamp } from './common.ts'
import { Label } from './label.ts'

/**
 * docs/reference/blueprints.md, "States". The four after `uploaded` and `invalid` are failures; `validating` is
 * temporary.
 */
export const blueprintStates = [
  'pending',
  'uploading',
  'extracting',
  'parsing',
  'uploaded',
  'failed_uploading',
  'failed_extracting',
  'failed_parsing',
  'failed_extracting_to_file_server',
  'invalid',
  'validating',
] as const
export type BlueprintState = (typeof blueprintStates)[number]

export const isFailedBlueprintState = (state: string): boolean =>
  state === 'invalid' || state.startsWith('failed_')

/** Whether the upload is over, well or not. */
export const isFinalBlueprintState = (state: string): boolean =>
  state === 'uploaded' || isFailedBlueprintState(state)

/** The execution that uploads; an object of nulls when there is none, because `cfy` reads its id unasked. */
export const UploadExecution = Shape('UploadExecution', {
  id: Nullable(Type.String()),
  workflow_id: Nullable(Type.String()),
  status: Nullable(Type.String()),
  error: Nullable(Type.String()),
  created_at: Nullable(Timestamp),
  started_at: Nullable(Timestamp),
  ended_at: Nullable(Timestamp),
})

/** docs/reference/blueprints.md, "Fields" and "States". */
export const Blueprint = Shape('Blueprint', {
  id: Type.String(),
  description: Nullable(Type.String()),
  main_file_name: Nullable(Type.String()),
  plan: Nullable(JsonObject),
  requirements: Nullable(JsonObject),
  labels: Type.Array(Label),
  state: Nullable(Type.String()),
  error: Nullable(Type.String()),
  error_traceback: Nullable(Type.String()),
  is_hidden: Type.Boolean(),
  upload_execution: UploadExecution,
  updated_at: Nullable(Timestamp),
  ...ownerFields,
})
export type Blueprint = Static<typeof Blueprint>

export const blueprintFields = fieldTable(Blueprint, { sortsByLabel: true })
