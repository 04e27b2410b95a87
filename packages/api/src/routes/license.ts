import { Type } from 'typebox'
import { ListOf, Nullable } from '../shapes/common.ts'
import { License, licenseFields } from '../shapes/license.ts'
import { route } from './route.ts'

/** spec/rest-spec-b.md 4.3, spec/rest-facts-b.md 11: Tutti needs none, and keeps what is uploaded. */
export const licenseRoutes = {
  'license.list': route({
    method: 'GET',
    path: '/license',
    since: 'v3.1',
    permission: 'license_list',
    tenant: 'none',
    summary: 'Get the uploaded license, else the built-in one',
    list: licenseFields,
    response: ListOf(License),
    status: 200,
  }),
  'license.upload': route({
    method: 'PUT',
    path: '/license',
    since: 'v3.1',
    permission: 'license_upload',
    tenant: 'none',
    summary: 'Upload a license file (YAML); it takes the place of the one before',
    body: 'archive',
    response: License,
    status: 200,
  }),
  'license.register': route({
    method: 'POST',
    path: '/license',
    since: 'v3.1',
    permission: 'license_upload',
    tenant: 'none',
    summary: 'Refused: customer ids belong to the community edition',
    body: Type.Object({ customer_id: Type.String() }),
    response: License,
    status: 200,
  }),
  'license.delete': route({
    method: 'DELETE',
    path: '/license',
    since: 'v3.1',
    permission: 'license_remove',
    tenant: 'none',
    summary: 'Remove the uploaded license',
    response: 'empty',
    status: 204,
  }),
  'license.check': route({
    method: 'GET',
    path: '/license-check',
    since: 'v3.1',
    permission: 'authenticated',
    tenant: 'none',
    summary: 'Check the license (Tutti needs none)',
    response: Type.String(),
    status: 200,
  }),
  'contacts.create': route({
    method: 'POST',
    path: '/contacts',
    since: 'v3.1',
    permission: 'community_contact_create',
    tenant: 'none',
    summary: 'Refused: contacts belong to the community edition',
    body: Type.Object({
      first_name: Type.String(),
      last_name: Type.String(),
      email: Type.String(),
      phone: Type.Optional(Nullable(Type.String())),
      is_eula: Type.Boolean(),
    }),
    response: Type.Object({ customer_id: Type.String() }),
    status: 200,
  }),
} as const
