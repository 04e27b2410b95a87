import { Type } from 'typebox'
import { checkIdentifier } from '../identifiers.ts'
import type { ApiVersion } from '../routes/route.ts'
import type { RouteName } from '../routes/table.ts'
import { Tenant, type Token, User, UserGroup } from '../shapes/access.ts'
import { Blueprint } from '../shapes/blueprint.ts'
import { JsonObject, ListOf, Nullable, Shape } from '../shapes/common.ts'
import { Deployment } from '../shapes/deployment.ts'
import type { Event } from '../shapes/event.ts'
import { type Status, Version } from '../shapes/manager.ts'
import type { AdaptableRequest, Adaptation } from './adaptation.ts'
import { V2Event, v2Event } from './v2-events.ts'

type Adaptations = Readonly<Partial<Record<RouteName, Adaptation>>>

/** A status that the old versions show whatever happens, with a unit for each service (spec/rest-spec-b.md 2.6). */
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

/** Old clients get their token by GET: an object with its value. */
function token(role: (name: string) => { readonly role?: string }): Adaptation {
  return {
    route: {
      permission: 'create_token',
      list: undefined,
      response: Type.Object({ value: Type.String(), role: Type.Optional(Type.String()) }),
    },
    handler: () => 'tokens.create',
    request: () => ({ body: { expiration_date: tokenLife } }),
    answer: (answer) => {
      const made = answer as Token
      return { value: made.value, ...role(made.role) }
    },
  }
}

const force = Type.Object({ ignore_live_nodes: Type.Optional(Nullable(Type.Boolean())) })

/** What v2 and v3 do alike and v3.1 does not (spec/rest-facts-a.md 19). */
const beforeV31: Adaptations = {
  'status.get': {
    route: { query: undefined, response: OldStatus },
    includesAnswer: true,
    answer: oldStatus,
  },
  'blueprints.delete': {
    route: { status: 200, response: Blueprint },
    resource: { from: 'blueprints.get', when: 'before' },
  },
  // Their clients wait for the execution that creates it themselves, and expect no look at plugins.
  'deployments.create': {
    route: {
      query: undefined,
      body: Type.Object({ blueprint_id: Type.String(), inputs: Type.Optional(Nullable(JsonObject)) }),
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

/** Names that roles had before (spec/rest-spec-b.md 2.15 and 2.16). */
const oldRole = (role: string) => (role === 'sys_admin' ? 'administrator' : 'user')
const oldUser = (answer: unknown) => {
  const user = answer as Partial<User>
  if (user.role === undefined) return user
  return { ...user, role: user.active === false ? 'suspended' : oldRole(user.role) }
}
const answersUser: Adaptation = { answer: oldUser }

const inBody =
  (field: string, name = field) =>
  ({ body }: AdaptableRequest) => ({ [name]: String(body?.[field]) })
const answersTenant: Adaptation = {
  route: { status: 200, response: Tenant },
  resource: { from: 'tenants.get', when: 'after', params: inBody('tenant_name') },
}

const onlyV3: Adaptations = {
  'tokens.list': token((role) => ({ role: role === 'sys_admin' ? 'admin' : 'user' })),
  'user.get': answersUser,
  'users.get': answersUser,
  'users.create': answersUser,
  'users.setActive': answersUser,
  'users.unlock': answersUser,
  'users.list': {
    answer(answer) {
      const list = answer as { readonly items: readonly unknown[] }
      return { ...list, items: list.items.map(oldUser) }
    },
  },
  // `suspended` was a role.
  'users.update': {
    handler: ({ body }) => (body?.role === 'suspended' ? 'users.setActive' : 'users.update'),
    request: ({ body }) => (body?.role === 'suspended' ? { body: { action: 'deactivate' } } : {}),
    answer: oldUser,
  },
  'users.delete': {
    route: { status: 200, response: User },
    resource: { from: 'users.get', when: 'before' },
    answer: oldUser,
  },
  'tenants.delete': {
    route: { status: 200, response: Tenant },
    resource: { from: 'tenants.get', when: 'before' },
  },
  'tenantUsers.remove': answersTenant,
  'tenantGroups.remove': answersTenant,
  'userGroups.delete': {
    route: { status: 200, response: UserGroup },
    resource: { from: 'userGroups.get', when: 'before' },
  },
  'userGroups.removeUser': {
    route: { status: 200, response: UserGroup },
    resource: { from: 'userGroups.get', when: 'after', params: inBody('group_name') },
  },
}

const onlyV2: Adaptations = {
  'tokens.list': token(() => ({})),
  'version.get': {
    route: { response: Type.Omit(Version, ['edition'], { title: 'Version' }) },
    answer(answer) {
      const { edition: _, ...version } = answer as Readonly<Record<string, unknown>>
      return version
    },
  },
  'events.list': {
    route: { response: ListOf(V2Event) },
    includesAnswer: true,
    answer(answer) {
      const list = answer as { readonly items: readonly Event[] }
      return { ...list, items: list.items.map(v2Event) }
    },
  },
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
