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

/** `listables`: nouns whose things can be listed, as they are written: `deployments filters`. */
export function explain(error: unknown, listables: readonly string[] = []): Explanation {
  if (error instanceof ClientError) {
    return {
      message: error.message,
      where: error.request,
      code: `${error.code}, HTTP ${error.status}`,
      next: error.hint ?? nextCommand(error, listables),
      exitCode: 1,
    }
  }
  if (error instanceof ConnectionError) return plain(error.message, error.hint, 1)
  if (error instanceof UsageError) return plain(error.message, error.hint, 2)
  if (error instanceof CommanderError) {
    return plain(error.message.replace(/^error: /, ''), 'See --help for how to write it', 2)
  }
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
function nextCommand(error: ClientError, listables: readonly string[]): string | undefined {
  switch (error.code) {
    case 'not_found_error':
      if (error.message.startsWith('There is no endpoint')) {
        return 'Is --url the address of a manager, with nothing behind it? tutti config says where it comes from'
      }
      return whatThereIs(error, listables, 'See')
    case 'unauthorized_error':
      return 'Log in: tutti init, or set TUTTI_USERNAME and TUTTI_PASSWORD'
    case 'forbidden_error':
      return 'See your roles: tutti users whoami; for another user or tenant: tutti profiles list'
    case 'conflict_error':
      return error.message.includes('already exists')
        ? whatThereIs(error, listables, 'Choose another id, or see')
        : undefined
    case 'maintenance_mode_active':
      return 'See whether it is: tutti maintenance-mode status; to leave it: tutti maintenance-mode deactivate'
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

/**
 * The list of the kind of thing that the refusal is about. The thing is not always what the request is for:
 * a request to a tenant may name a user that there is not.
 */
function whatThereIs(error: ClientError, listables: readonly string[], verb: string): string | undefined {
  const segments = (error.request.split(' ')[1] ?? '').split(/[/?]/)
  const [, kind = ''] = /^(?:Requested `|<)(\w+)/.exec(error.message) ?? []
  const plural = `${kind.replace(/\B[A-Z]/g, '-$&').toLowerCase()}s`
  const listable =
    listables.find((words) => words.replace(' ', '-') === plural) ??
    onlyOne(listables.filter((words) => words.split(/[ -]/).at(-1) === plural)) ??
    // Groups of users are but groups in messages.
    listables.find((words) => words.endsWith(`-${plural}`) && segments.includes(words)) ??
    listables.find((words) => words === segments[1])
  return listable === undefined ? undefined : `${verb} what there is: tutti ${listable} list`
}

const onlyOne = (found: readonly string[]): string | undefined => (found.length === 1 ? found[0] : undefined)
