import { Type } from 'typebox'
import { ListOf } from '../shapes/common.ts'
import { route } from './route.ts'

/** docs/reference/sites-filters-labels.md, "Label keys and values". */
export const labelRoutes = {
  'labels.blueprints.keys': route({
    method: 'GET',
    path: '/labels/blueprints',
    since: 'v3.1',
    permission: 'labels_list',
    summary: 'List the label keys of blueprints',
    query: Type.Object({ _reserved: Type.Optional(Type.Boolean()) }),
    response: ListOf(Type.String()),
    status: 200,
  }),
  'labels.blueprints.values': route({
    method: 'GET',
    path: '/labels/blueprints/:label_key',
    since: 'v3.1',
    permission: 'labels_list',
    summary: 'List the values of a label key of blueprints',
    response: ListOf(Type.String()),
    status: 200,
  }),
  'labels.deployments.keys': route({
    method: 'GET',
    path: '/labels/deployments',
    since: 'v3.1',
    permission: 'labels_list',
    summary: 'List the label keys of deployments',
    query: Type.Object({ _reserved: Type.Optional(Type.Boolean()) }),
    response: ListOf(Type.String()),
    status: 200,
  }),
  'labels.deployments.values': route({
    method: 'GET',
    path: '/labels/deployments/:label_key',
    since: 'v3.1',
    permission: 'labels_list',
    summary: 'List the values of a label key of deployments',
    response: ListOf(Type.String()),
    status: 200,
  }),
  'labels.deploymentGroups.keys': route({
    method: 'GET',
    path: '/labels/deployment_groups',
    since: 'v3.1',
    permission: 'labels_list',
    summary: 'List the label keys of deployment groups',
    query: Type.Object({ _reserved: Type.Optional(Type.Boolean()) }),
    response: ListOf(Type.String()),
    status: 200,
  }),
  'labels.deploymentGroups.values': route({
    method: 'GET',
    path: '/labels/deployment_groups/:label_key',
    since: 'v3.1',
    permission: 'labels_list',
    summary: 'List the values of a label key of deployment groups',
    response: ListOf(Type.String()),
    status: 200,
  }),
} as const
