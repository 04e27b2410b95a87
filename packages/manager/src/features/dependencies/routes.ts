import { listAnswer } from '../../list-answer.ts'
import type { Handlers } from '../../request.ts'
import {
  addDependencies,
  createDependency,
  getDependency,
  listDependencies,
  removeDependency,
} from './service.ts'

/** spec/rest-spec-a.md 4.3, spec/rest-facts-a.md 10 */
export const dependencyHandlers = {
  'dependencies.list': async (request) =>
    listAnswer(request.list, await listDependencies(request, request.list)),

  async 'dependencies.create'(request) {
    const id = await createDependency(request, request.body)
    return getDependency(request, id, request.include)
  },

  async 'dependencies.add'(request) {
    const { source_deployment_id: source, inter_deployment_dependencies: given } = request.body
    return idList(await addDependencies(request, source, given, { replaces: false }))
  },

  async 'dependencies.replace'(request) {
    const { inter_deployment_dependencies: given } = request.body
    return idList(await addDependencies(request, request.params.deployment_id, given, { replaces: true }))
  },

  'dependencies.delete': (request) => removeDependency(request, request.body),
} satisfies Partial<Handlers>

function idList(ids: readonly string[]) {
  return {
    items: ids.map((id) => ({ id })),
    metadata: { pagination: { total: ids.length, offset: 0, size: ids.length }, filtered: null },
  }
}
