import type { FilteredResource } from '@tutti/api'
import { inTransaction } from '@tutti/domain'
import { changeFilter, createFilter, getFilter, listFilters, removeFilter } from '@tutti/domain/filters'
import type { Handlers, RouteRequest } from '../../request.ts'

/** docs/reference/sites-filters-labels.md, "Filters" */
const handlersFor = (filtered: FilteredResource) => ({
  list: (request: RouteRequest<'deploymentsFilters.list'>) => listFilters(request, filtered, request.list),

  get: (request: RouteRequest<'deploymentsFilters.get'>) =>
    getFilter(request, filtered, request.params.filter_id, request.include),

  async create(request: RouteRequest<'deploymentsFilters.create'>) {
    await inTransaction(request, (actor, transaction) =>
      createFilter(actor, transaction, filtered, request.params.filter_id, request.body),
    )
    return getFilter(request, filtered, request.params.filter_id, request.include)
  },

  async update(request: RouteRequest<'deploymentsFilters.update'>) {
    await inTransaction(request, (actor, transaction) =>
      changeFilter(actor, transaction, filtered, request.params.filter_id, request.body),
    )
    return getFilter(request, filtered, request.params.filter_id, request.include)
  },

  delete: (request: RouteRequest<'deploymentsFilters.delete'>) =>
    inTransaction(request, (actor, transaction) =>
      removeFilter(actor, transaction, filtered, request.params.filter_id),
    ),
})

const [deployments, blueprints] = [handlersFor('deployments'), handlersFor('blueprints')]

export const filterHandlers = {
  'deploymentsFilters.list': deployments.list,
  'deploymentsFilters.get': deployments.get,
  'deploymentsFilters.create': deployments.create,
  'deploymentsFilters.update': deployments.update,
  'deploymentsFilters.delete': deployments.delete,
  'blueprintsFilters.list': blueprints.list,
  'blueprintsFilters.get': blueprints.get,
  'blueprintsFilters.create': blueprints.create,
  'blueprintsFilters.update': blueprints.update,
  'blueprintsFilters.delete': blueprints.delete,
} satisfies Partial<Handlers>
