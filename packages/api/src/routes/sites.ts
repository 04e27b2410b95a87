import { Type } from 'typebox'
import { creationOverrides, ListOf, Nullable, newVisibility } from '../shapes/common.ts'
import { Site, siteFields } from '../shapes/site.ts'
import { route } from './route.ts'

/** docs/reference/sites-filters-labels.md, "Sites". */
export const SiteCreate = Type.Object({
  location: Type.Optional(Nullable(Type.String())),
  ...newVisibility,
  ...creationOverrides,
})

export const SiteUpdate = Type.Object({
  new_name: Type.Optional(Nullable(Type.String())),
  location: Type.Optional(Nullable(Type.String())),
  visibility: Type.Optional(Nullable(Type.String())),
})

export const siteRoutes = {
  'sites.list': route({
    method: 'GET',
    path: '/sites',
    since: 'v3.1',
    permission: 'site_list',
    allTenants: true,
    summary: 'List sites',
    list: siteFields,
    response: ListOf(Site),
    status: 200,
  }),
  'sites.get': route({
    method: 'GET',
    path: '/sites/:site_name',
    since: 'v3.1',
    permission: 'site_get',
    summary: 'Get a site',
    response: Site,
    status: 200,
  }),
  'sites.create': route({
    method: 'PUT',
    path: '/sites/:site_name',
    since: 'v3.1',
    permission: 'site_create',
    summary: 'Create a site',
    body: SiteCreate,
    response: Site,
    status: 200,
  }),
  'sites.update': route({
    method: 'POST',
    path: '/sites/:site_name',
    since: 'v3.1',
    permission: 'site_update',
    summary: 'Change the name, the location or the visibility of a site',
    body: SiteUpdate,
    response: Site,
    status: 200,
  }),
  'sites.delete': route({
    method: 'DELETE',
    path: '/sites/:site_name',
    since: 'v3.1',
    permission: 'site_delete',
    summary: 'Delete a site; its deployments lose the link',
    response: 'empty',
    status: 204,
  }),
} as const
