import { type TObject, Type } from 'typebox'
import { checkIdentifier } from '../identifiers.ts'
import { fieldTable } from '../list/field-table.ts'
import type { ListAnswer } from '../list/list-answer.ts'
import type { ListQuery } from '../list/list-query.ts'
import type { ApiVersion } from '../routes/route.ts'
import type { RouteName } from '../routes/table.ts'
import { Tenant, type Token, User, UserGroup, userFields } from '../shapes/access.ts'
import { Blueprint } from '../shapes/blueprint.ts'
import { JsonObject, ListOf, Nullable, newVisibility, Shape } from '../shapes/common.ts'
import { Deployment } from '../shapes/deployment.ts'
import type { Event } from '../shapes/event.ts'
import { type Status, Version } from '../shapes/manager.ts'
import { Plugin } from '../shapes/plugin.ts'
import { Secret } from '../shapes/secret.ts'
import type { AdaptableRequest, Adaptation } from './adaptation.ts'
import { V2Event, v2Event } from './v2-events.ts'

type Adaptations = Readonly<Partial<Record<RouteName, Adaptation>>>

/**
 * A status that the old versions show whatever happens, with a unit for each service
 * (docs/reference/rest-conventions.md, "Versions").
 */
const OldStatus = Shape('Status', {
  status: Type.Literal('running'),
  services: Type.Array(Type.Object({ display_name: Type.String(), instances: Type.Array(JsonObject) })),
})

function oldStatus(answer: unknown) {
  const { services } = answer as Status
  return {
    status: 'running',
    services: Object.entries(services).map(([name, { status }]) => {
      const isUp = status === 'Active'
      return {
        display_name: name,
        instances: [
          {
            Id: name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
            Description: name,
            LoadState: 'loaded',
            state: isUp ? 'up' : 'down',
            MainPID: 0,
            ActiveState: isUp ? 'active' : 'inactive',
            SubState: isUp ? 'running' : 'dead',
          },
        ],
      }
    }),
  }
}

/** How long a token that an old client asked for lives: it asks again, and has no way to delete one. */
const tokenLife = '+10h'

const V2Token = Shape('Token', { value: Type.String() })
const V3Token = Shape('Token', { value: Type.String(), role: Type.String() })

/** Old clients get their token by GET: an object with its value. */
function token(shape: TObject, old: (made: Token) => unknown): Adaptation {
  return {
    route: { permission: 'create_token', list: undefined, response: shape },
    handler: () => 'tokens.create',
    request: () => ({ body: { expiration_date: tokenLife } }),
    answerFields: fieldTable(shape),
    answer: (answer) => old(answer as Token),
  }
}

const force = Type.Object({ ignore_live_nodes: Type.Optional(Nullable(Type.Boolean())) })

/** What v2 and v3 do alike and v3.1 does not (docs/reference/rest-conventions.md, "Versions"). */
const beforeV31: Adaptations = {
  'status.get': {
    route: { query: undefined, response: OldStatus },
    answerFields: fieldTable(OldStatus),
    answer: oldStatus,
  },
  'blueprints.delete': {
    route: { status: 200, response: Blueprint },
    resource: { from: 'blueprints.get', when: 'before' },
  },
  'plugins.delete': {
    route: { status: 200, response: Plugin },
    resource: { from: 'plugins.get', when: 'before' },
  },
  // Their clients wait for the execution that creates it themselves, and expect no look at plugins.
  'deployments.create': {
    route: {
      query: undefined,
      body: Type.Object({
        blueprint_id: Type.String(),
        inputs: Type.Optional(Nullable(JsonObject)),
        ...newVisibility,
      }),
    },
    request({ params, body }) {
      checkIdentifier('deployment_id', params.deployment_id ?? '')
      return { options: { async_create: true }, body: { ...body, skip_plugins_validation: true } }
    },
  },
  'deployments.delete': {
    route: {
      status: 200,
      response: Deployment,
      query: Type.Object({ force: Type.Optional(Type.Boolean()), ...force.properties }),
      body: force,
    },
    request: ({ options, body }) => ({
      options: {
        force:
          options.force === true || options.ignore_live_nodes === true || body?.ignore_live_nodes === true,
      },
    }),
    resource: { from: 'deployments.get', when: 'before' },
  },
}

/** Names that roles had before (docs/reference/rest-conventions.md, "Versions"). */
const oldRole = (role: string) => (role === 'sys_admin' ? 'administrator' : 'user')
const oldUser = (answer: unknown) => {
  const user = answer as Partial<User>
  if (user.role === undefined) return user
  return { ...user, role: user.active === false ? suspendedRole : oldRole(user.role) }
}
/** Whether a user is suspended is told by two fields of today: all are read, whatever `_include` names. */
const answersUser: Adaptation = { answerFields: userFields, answer: oldUser }
const suspendedRole = 'suspended'

const inBody =
  (field: string, name = field) =>
  ({ body }: AdaptableRequest) => ({ [name]: String(body?.[field]) })
const answersTenant: Adaptation = {
  route: { status: 200, response: Tenant },
  resource: { from: 'tenants.get', when: 'after', params: inBody('tenant_name') },
}

const onlyV3: Adaptations = {
  'tokens.list': token(V3Token, ({ value, role }) => ({
    value,
    role: role === 'sys_admin' ? 'admin' : 'user',
  })),
  'user.get': answersUser,
  'users.get': answersUser,
  'users.create': {
    ...answersUser,
    request: ({ body }) =>
      body?.role === suspendedRole ? { body: { ...body, role: null, active: false } } : {},
  },
  'users.setActive': answersUser,
  'users.unlock': answersUser,
  'users.list': {
    answerFields: userFields,
    answer: (answer) => (answer as ListAnswer).map(oldUser),
  },
  // What is now active or not was one of the roles: to have another one is to be active.
  'users.update': {
    ...answersUser,
    request({ body }) {
      if (body?.role === suspendedRole) return { body: { ...body, role: null, active: false } }
      return body?.role == null ? {} : { body: { ...body, active: true } }
    },
  },
  'users.delete': {
    ...answersUser,
    route: { status: 200, response: User },
    resource: { from: 'users.get', when: 'before' },
  },
  'tenants.delete': {
    route: { status: 200, response: Tenant },
    resource: { from: 'tenants.get', when: 'before' },
  },
  'tenantUsers.remove': answersTenant,
  'tenantGroups.remove': answersTenant,
  'secrets.delete': {
    route: { status: 200, response: Secret },
    resource: { from: 'secrets.get', when: 'before' },
  },
  'userGroups.delete': {
    route: { status: 200, response: UserGroup },
    resource: { from: 'userGroups.get', when: 'before' },
  },
  'userGroups.removeUser': {
    route: { status: 200, response: UserGroup },
    resource: { from: 'userGroups.get', when: 'after', params: inBody('group_name') },
  },
}

/** In v2 `node_id` is what its events have under that name: the id of an instance. */
const byInstance = (list: ListQuery): ListQuery => ({
  ...list,
  filters: list.filters.map((filter) =>
    filter.field === 'node_id' ? { ...filter, field: 'node_instance_id' } : filter,
  ),
})

const V2Version = Type.Omit(Version, ['edition'], { title: 'Version' })

const onlyV2: Adaptations = {
  'tokens.list': token(V2Token, ({ value }) => ({ value })),
  'version.get': {
    route: { response: V2Version },
    answerFields: fieldTable(V2Version),
    answer(answer) {
      const { edition: _, ...version } = answer as Readonly<Record<string, unknown>>
      return version
    },
  },
  'events.list': {
    route: { response: ListOf(V2Event) },
    answerFields: fieldTable(V2Event, { ignoresUnknownInclude: true }),
    answer: (answer) => (answer as ListAnswer<Event>).map(v2Event),
    list: byInstance,
  },
  'events.delete': { list: byInstance },
  'nodeInstances.list': { route: { aliases: ['/node_instances'] } },
  'nodeInstances.get': { route: { aliases: ['/node_instances/:node_instance_id'] } },
  'nodeInstances.update': { route: { aliases: ['/node_instances/:node_instance_id'] } },
}

/** Where a version differs from v3.1; what is not named here is the same in all that have it. */
export const adaptations: Readonly<Record<Exclude<ApiVersion, 'v3.1'>, Adaptations>> = {
  v2: { ...beforeV31, ...onlyV2 },
  'v2.1': { ...beforeV31, ...onlyV2 },
  v3: { ...beforeV31, ...onlyV3 },
}
