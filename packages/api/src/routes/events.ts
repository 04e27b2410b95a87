import { Type } from 'typebox'
import { JsonObject, ListMetadata, ListOf, Nullable } from '../shapes/common.ts'
import { Event, eventFields } from '../shapes/event.ts'
import { route } from './route.ts'

export const eventRoutes = {
  'events.list': route({
    method: 'GET',
    path: '/events',
    permission: 'event_list',
    summary: 'List events and logs',
    list: eventFields,
    response: ListOf(Event),
    status: 200,
  }),
  'events.create': route({
    method: 'POST',
    path: '/events',
    since: 'v3',
    permission: 'event_create',
    summary: 'Record events and logs of an execution',
    body: Type.Object({
      events: Type.Optional(Nullable(Type.Array(JsonObject))),
      logs: Type.Optional(Nullable(Type.Array(JsonObject))),
      execution_id: Type.Optional(Nullable(Type.String())),
      execution_group_id: Type.Optional(Nullable(Type.String())),
      manager_name: Type.Optional(Nullable(Type.String())),
      agent_name: Type.Optional(Nullable(Type.String())),
      batch_id: Type.Optional(
        Nullable(
          Type.String({
            maxLength: 256,
            description: 'Names this batch: when it is sent again, it is stored once',
          }),
        ),
      ),
    }),
    response: Type.Unknown(),
    status: 201,
  }),
  'events.delete': route({
    method: 'DELETE',
    path: '/events',
    permission: 'event_delete',
    summary: 'Delete the events and logs of a deployment',
    list: eventFields,
    query: Type.Object({ store_before: Type.Optional(Type.Boolean()) }),
    response: Type.Object({ items: Type.Array(Type.Integer()), metadata: ListMetadata }),
    status: 200,
  }),
} as const
