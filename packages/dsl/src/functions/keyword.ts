import { DslError } from '../diagnostic.ts'
import { isList } from '../json.ts'
import type { EvaluationContext, EvaluationStorage } from '../runtime/storage.ts'
import type { Call } from './call.ts'
import { evaluationError } from './definition.ts'
import type { Scope } from './places.ts'

export type Keyword = 'SELF' | 'SOURCE' | 'TARGET'

export function asKeyword(name: string): Keyword | null {
  return name === 'SELF' || name === 'SOURCE' || name === 'TARGET' ? name : null
}

/**
 * The node that a name or keyword of `get_property` means where it stands (docs/reference/language/functions.md,
 * "Scopes").
 */
export function keywordOrNode(call: Call, name: string, scope: Scope, path: string): string {
  const keyword = asKeyword(name)
  if (keyword === null) return name
  if (keyword === 'SELF' && scope.kind === 'node') return scope.node
  if (scope.kind === 'relationship') {
    if (keyword === 'SOURCE') return scope.source
    if (keyword === 'TARGET') return scope.target
  }
  const where = keyword === 'SELF' ? 'in node scope' : 'in relationship operations'
  throw new DslError(
    'ValueError',
    `${keyword} can only be used ${where}, but ${call.name} uses it in ${path}.`,
  )
}

/** The instance that a keyword means at run time (docs/reference/language/functions.md, "At run time"). */
export function instanceOfKeyword(call: Call, keyword: Keyword, context: EvaluationContext): string {
  const id = keyword === 'SELF' ? context.self : keyword === 'SOURCE' ? context.source : context.target
  if (id !== undefined) return id
  throw evaluationError(call, `${keyword} is not available here.`)
}

/** The node that the first argument means at run time; a keyword stands for its instance's node. */
export async function nodeOfKeyword(
  call: Call,
  context: EvaluationContext,
  storage: EvaluationStorage,
): Promise<string> {
  const name = String(isList(call.argument) ? call.argument[0] : call.argument)
  const keyword = asKeyword(name)
  if (keyword === null) return name
  if (keyword === 'SOURCE' && context.source_node !== undefined) return context.source_node
  if (keyword === 'TARGET' && context.target_node !== undefined) return context.target_node
  const instance = await storage.nodeInstance(instanceOfKeyword(call, keyword, context))
  if (instance === null) throw evaluationError(call, `the instance of ${keyword} does not exist.`)
  return instance.node_id
}
