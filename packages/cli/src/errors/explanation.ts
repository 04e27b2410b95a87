import { ClientError, ConnectionError } from '@tutti/client'
import { CommanderError } from 'commander'
import { UsageError } from './usage-error.ts'

/** An error for people: what, where, why, and the next command. */
export type Explanation = {
  readonly message: string
  readonly where: string | undefined
  readonly code: string | undefined
  readonly next: string | undefined
  readonly exitCode: 1 | 2
}

/** `collections`: nouns whose things can be listed; a path of the API begins with its noun. */
export function explain(error: unknown, collections: readonly string[] = []): Explanation {
  if (error instanceof ClientError) {
    return {
      message: error.message,
      where: error.request,
      code: `${error.code}, HTTP ${error.status}`,
      next: error.hint ?? nextCommand(error, collections),
      exitCode: 1,
    }
  }
  if (error instanceof ConnectionError) return plain(error.message, error.hint, 1)
  if (error instanceof UsageError) return plain(error.message, error.hint, 2)
  if (error instanceof CommanderError) return plain(error.message, undefined, 2)
  if (error instanceof Error && error.name === 'AbortError' && error.cause instanceof Error) {
    return plain(error.cause.message, undefined, 1)
  }
  return plain(error instanceof Error ? error.message : String(error), undefined, 1)
}

const plain = (message: string, next: string | undefined, exitCode: 1 | 2): Explanation => ({
  message,
  where: undefined,
  code: undefined,
  next,
  exitCode,
})

/** What a person would most likely do after this refusal. */
function nextCommand(error: ClientError, collections: readonly string[]): string | undefined {
  const collection = error.request.split(' ')[1]?.split('/')[1] ?? ''
  switch (error.code) {
    case 'not_found_error':
      return collections.includes(collection) ? `See what there is: tutti ${collection} list` : undefined
    case 'unauthorized_error':
      return 'Log in: tutti init, or set TUTTI_USERNAME and TUTTI_PASSWORD'
    case 'forbidden_error':
      return 'Choose another user or tenant: tutti profiles list'
    case 'conflict_error':
      return collections.includes(collection)
        ? `Choose another id, or see what there is: tutti ${collection} list`
        : undefined
    case 'existing_running_execution_error':
      return 'Wait for it (tutti executions list), or start with --queue or --force'
    case 'dependent_exists_error':
      return 'Remove what depends on it first, or repeat with --force if you know that nothing is lost'
    case 'blueprint_in_use':
      return 'Repeat with --force if the blueprints that import it are no longer needed'
    case 'illegal_execution_parameters_error':
      return 'See the parameters of the workflows: tutti deployments get DEPLOYMENT --json'
    case 'missing_required_deployment_input_error':
    case 'unknown_deployment_input_error':
      return 'Give inputs with -i name=value or -i FILE'
    default:
      return undefined
  }
}
