import { Type } from 'typebox'
import { Token, tokenFields } from '../shapes/access.ts'
import { Description, ListOf, Nullable } from '../shapes/common.ts'
import { route } from './route.ts'

/** docs/reference/access.md, "Tokens". */
export const tokenRoutes = {
  'tokens.list': route({
    method: 'GET',
    path: '/tokens',
    permission: 'token_get',
    tenant: 'none',
    reach: 'manager',
    summary: 'List tokens: your own, or all with the permission manage_others_tokens',
    list: tokenFields,
    response: ListOf(Token),
    status: 200,
  }),
  'tokens.create': route({
    method: 'POST',
    path: '/tokens',
    since: 'v3.1',
    permission: 'create_token',
    tenant: 'none',
    reach: 'manager',
    summary: 'Create a token; this is the only answer that shows its value',
    body: Type.Object({
      description: Type.Optional(Nullable(Description)),
      expiration_date: Type.Optional(Nullable(Type.String())),
    }),
    response: Token,
    status: 200,
  }),
  'tokens.get': route({
    method: 'GET',
    path: '/tokens/:token_id',
    since: 'v3.1',
    permission: 'list_token',
    tenant: 'none',
    reach: 'manager',
    summary: 'Get a token',
    response: Token,
    status: 200,
  }),
  'tokens.delete': route({
    method: 'DELETE',
    path: '/tokens/:token_id',
    since: 'v3.1',
    permission: 'delete_token',
    tenant: 'none',
    reach: 'manager',
    summary: 'Delete a token',
    response: 'empty',
    status: 204,
  }),
} as const
