import { inTransaction, wholeAnswer } from '@tutti/domain'
import {
  createDependency,
  getDependency,
  listDependencies,
  removeDependency,
  replaceDependencies,
  restoreDependencies,
} from '@tutti/domain/inter-deployment-dependencies'
import type { Handlers } from '../../request.ts'

/** docs/reference/environments-and-dependencies.md, "Dependencies" */
export const dependencyHandlers = {
  'dependencies.list': (request) => listDependencies(request, request.list),

  async 'dependencies.create'(request) {
    const id = await inTransaction(request, (actor, transaction) =>
      createDependency(actor, transaction, request.body),
    )
    return getDependency(request, id, request.include)
  },

  async 'dependencies.restore'(request) {
    const { source_deployment_id: source, inter_deployment_dependencies: all } = request.body
    return idList(
      await inTransaction(request, (actor, transaction) =>
        restoreDependencies(actor, transaction, source, all),
      ),
    )
  },

  async 'dependencies.replace'(request) {
    const { deployment_id: source } = request.params
    return idList(
      await inTransaction(request, (actor, transaction) =>
        replaceDependencies(actor, transaction, source, request.body.inter_deployment_dependencies),
      ),
    )
  },

  'dependencies.delete': (request) =>
    inTransaction(request, (actor, transaction) =>
      removeDependency(actor, transaction, { ...request.options, ...request.body }),
    ),
} satisfies Partial<Handlers>

const idList = (ids: readonly string[]) => wholeAnswer(ids.map((id) => ({ id })))
