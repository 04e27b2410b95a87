import { listPage } from '@tutti/storage'
import { listAnswer, wholeAnswer } from '../../list-answer.ts'
import { getItem } from '../../owned.ts'
import { type Handlers, tenantScope } from '../../request.ts'
import { dependencyResource } from './queries.ts'
import { addAll, createDependency, removeDependency, replaceAll } from './service.ts'

/** spec/rest-spec-a.md 4.3, spec/rest-facts-a.md 10 */
export const dependencyHandlers = {
  async 'dependencies.list'(request) {
    const { db } = request.services
    return listAnswer(
      request.list,
      await listPage(db, dependencyResource, request.list, tenantScope(request)),
    )
  },

  async 'dependencies.create'(request) {
    const id = await createDependency(request, request.body)
    return getItem(request, dependencyResource, id, request.include)
  },

  async 'dependencies.restore'(request) {
    const { source_deployment_id: source, inter_deployment_dependencies: all } = request.body
    return idList(await addAll(request, source, all))
  },

  async 'dependencies.replace'(request) {
    const { deployment_id: source } = request.params
    return idList(await replaceAll(request, source, request.body.inter_deployment_dependencies))
  },

  'dependencies.delete': (request) => removeDependency(request, { ...request.options, ...request.body }),
} satisfies Partial<Handlers>

const idList = (ids: readonly string[]) => wholeAnswer(ids.map((id) => ({ id })))
