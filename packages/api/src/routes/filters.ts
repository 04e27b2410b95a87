import { Type } from 'typebox'
import { creationOverrides, ListOf, Nullable, newVisibility } from '../shapes/common.ts'
import { Filter, filterFields } from '../shapes/filter.ts'
import { route } from './route.ts'

/** docs/reference/sites-filters-labels.md, "Filters". */
export const FilterCreate = Type.Object({
  filter_rules: Type.Unknown(),
  ...newVisibility,
  ...creationOverrides,
})

export const FilterPatch = Type.Object({
  filter_rules: Type.Optional(Type.Unknown()),
  visibility: Type.Optional(Nullable(Type.String())),
})

const routesFor = <Resource extends 'deployments' | 'blueprints'>(resource: Resource) => ({
  list: route({
    method: 'GET',
    path: `/filters/${resource}`,
    since: 'v3.1',
    permission: 'filter_list',
    allTenants: true,
    summary: `List the stored filters for ${resource}`,
    list: filterFields,
    passesOverUnknown: true,
    response: ListOf(Filter),
    status: 200,
  }),
  get: route({
    method: 'GET',
    path: `/filters/${resource}/:filter_id`,
    since: 'v3.1',
    permission: 'filter_get',
    summary: `Get a stored filter for ${resource}`,
    response: Filter,
    status: 200,
  }),
  create: route({
    method: 'PUT',
    path: `/filters/${resource}/:filter_id`,
    since: 'v3.1',
    permission: 'filter_create',
    summary: `Store a filter for ${resource}`,
    body: FilterCreate,
    response: Filter,
    status: 200,
  }),
  update: route({
    method: 'PATCH',
    path: `/filters/${resource}/:filter_id`,
    since: 'v3.1',
    permission: 'filter_update',
    summary: `Change a stored filter for ${resource}`,
    body: FilterPatch,
    response: Filter,
    status: 200,
  }),
  delete: route({
    method: 'DELETE',
    path: `/filters/${resource}/:filter_id`,
    since: 'v3.1',
    permission: 'filter_delete',
    summary: `Delete a stored filter for ${resource}`,
    response: 'empty',
    status: 204,
  }),
})

const [deployments, blueprints] = [routesFor('deployments'), routesFor('blueprints')]

export const filterRoutes = {
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
} as const
