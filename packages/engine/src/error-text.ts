import type { OperationError } from './operation-error.ts'
import { operationOf, type Task } from './task.ts'

/** The text of a failed graph, which becomes the execution's error (docs/reference/workflows.md, "Failures"). */
export function failureText(failed: readonly Task[]): string {
  const [first, ...others] = failed.map(taskFailureText)
  if (first === undefined) return 'Workflow failed'
  if (others.length === 0) return first
  return [`${failed.length} operation errors:`, first, ...others].join('\n')
}

function taskFailureText(task: Task): string {
  const { operation, nodeInstanceId } = operationOf(task.parameters)
  const where = operation === null ? task.name : `${task.name} (${nodeInstanceId}:${operation})`
  const { error } = task.parameters
  if (error === null) return `Task failed: ${where}`
  const text = `Task failed: ${where}: ${error.type} \`${error.message}\``
  const frames = tracebackFrames(error)
  return frames === '' ? text : `${text}\nTraceback of ${where} (most recent call last):\n${frames}`
}

/** A traceback without its own heading, which would name no task. */
function tracebackFrames({ traceback = '' }: OperationError): string {
  return traceback.replace(/^Traceback \(most recent call last\):\r?\n/, '').trimEnd()
}
