import {
  builtRoutes,
  type ListOf,
  type Route,
  type RouteBody,
  type RouteItem,
  type RouteName,
  type RouteParams,
  type RouteResponse,
} from '@tutti/api'
import type { CallOptions } from '@tutti/client'
import { Option } from 'commander'
import type { Context } from '../context.ts'
import { UsageError } from '../errors/usage-error.ts'
import { type CommandDefinition, counted, type Options, repeated } from './command.ts'
import { type Answered, type Listed, type Resource, renderOne, withoutHidden } from './resource.ts'

/**
 * The verbs of resources: commands that ask one route of the API. Its path parameters are the first arguments of the
 * command, in their order.
 */

type Query = Readonly<Record<string, string | boolean | readonly string[] | undefined>>

type Verb = Omit<CommandDefinition, 'run'>

type ListVerb = Omit<Verb, 'usage'> & {
  /** Default: `list`. */
  readonly usage?: string
  /** What `--search` looks into, where the route can search. */
  readonly search?: string
  /** What the other options ask for. */
  readonly query?: (options: Options) => Query
  /** What a search asks for. */
  readonly body?: (options: Options, context: Context) => Promise<object>
}

/** `tutti NOUN list`, with the options that its route understands. */
export function list<Name extends RouteName>(
  name: Name,
  resource: Listed<Name>,
  { search, query, body, ...verb }: ListVerb,
): CommandDefinition {
  const route: Route = builtRoutes[name]
  return {
    usage: 'list',
    ...verb,
    options: [
      ...(verb.options ?? []),
      ...(search === undefined ? [] : [new Option('--search <text>', `only those with this in ${search}`)]),
      ...listOptions(route),
    ],
    run: async (context, args, options) => {
      const { client, printer } = context
      const asked = {
        query: { ...listQuery(options), ...query?.(options) },
        body: await body?.(options, context),
      }
      const { call } = await client()
      const found = await call(name, callOptions(name, args, asked))
      const { items, metadata } = found as ListOf<RouteItem<Name>>
      const shown = items.map((item) => withoutHidden(item, resource.hides)) as RouteItem<Name>[]
      printer.list({ items: shown, metadata }, resource.columns, resource.plural)
    },
  }
}

/** `tutti NOUN get ID`. */
export function get<Name extends RouteName>(
  name: Name,
  resource: Answered<Name>,
  { query, ...verb }: Verb & { readonly query?: (options: Options) => Query },
): CommandDefinition {
  return {
    ...verb,
    run: async ({ client, printer }, args, options) => {
      const { call } = await client()
      const found = (await call(
        name,
        callOptions(name, args, { query: query?.(options) }),
      )) as RouteResponse<Name>
      printer.value(withoutHidden(found, resource.hides), renderOne(found, resource, printer.style))
    },
  }
}

/** Where a key of the body is optional, undefined leaves it out. */
type BodyGiven<Body> = {
  readonly [Key in keyof Body]: object extends Pick<Body, Key> ? Body[Key] | undefined : Body[Key]
}

type ActionVerb<Name extends RouteName> = Verb & {
  readonly query?: (options: Options) => Query
  readonly body?: (
    args: readonly string[],
    options: Options,
    context: Context,
  ) => BodyGiven<RouteBody<Name>> | Promise<BodyGiven<RouteBody<Name>>>
  /** The sentence that says what is different now. */
  readonly done: (args: readonly string[], options: Options, answer: RouteResponse<Name>) => string
  /** Shown below the sentence. */
  readonly shows?: Resource<RouteResponse<Name>>
  /** Fields of the answer with secrets, which are not printed even as JSON. */
  readonly hides?: readonly string[]
}

/** A verb that changes something. As JSON it prints the answer, or the sentence where the answer is empty. */
export function action<Name extends RouteName>(
  name: Name,
  { query, body, done, shows, hides, ...verb }: ActionVerb<Name>,
): CommandDefinition {
  return {
    ...verb,
    run: async (context, args, options) => {
      const given = { query: query?.(options), body: await body?.(args, options, context) }
      const { call } = await context.client()
      const answer = (await call(name, callOptions(name, args, given))) as RouteResponse<Name>
      const { printer } = context
      const sentence = done(args, options, answer)
      const below = shows === undefined ? '' : `\n${renderOne(answer, shows, printer.style)}`
      printer.value(withoutHidden(answer, hides) ?? { message: sentence }, `${sentence}${below}`)
    },
  }
}

/** The types hold by construction: names are those of the path, and the body is the one that the route takes. */
const callOptions = <Name extends RouteName>(
  name: Name,
  args: readonly string[],
  given: { readonly query?: Query | undefined; readonly body?: unknown },
): CallOptions<Name> =>
  ({ ...given, query: given.query ?? {}, params: pathParams(builtRoutes[name], args) }) as CallOptions<Name>

const pathParams = ({ path }: Route, args: readonly string[]): RouteParams<RouteName> =>
  Object.fromEntries(
    [...path.matchAll(/:(\w+)/g)].map(([, name = ''], index) => [name, args[index] ?? '']),
  ) as RouteParams<RouteName>

const listOptions = ({ list: fields, allTenants }: Route): readonly Option[] => [
  ...(fields === undefined
    ? []
    : [
        counted('--size <count>', 'at most so many (default: 1000)'),
        counted('--offset <count>', 'leave out so many at the beginning'),
        repeated('--sort <field>', 'sort by a field, descending with a leading -; may be repeated'),
        repeated('--filter <field=value>', 'only those whose field has this value; may be repeated'),
      ]),
  ...(allTenants ? [allTenantsOption()] : []),
]

export const allTenantsOption = (): Option => new Option('--all-tenants', 'of every tenant that you may see')

const listQuery = (options: Options): Query => ({
  _size: options.text('size'),
  _offset: options.text('offset'),
  _sort: options.texts('sort'),
  _all_tenants: options.flag('allTenants') ? 'true' : undefined,
  _search: options.text('search'),
  ...fieldFilters(options.texts('filter')),
})

export function fieldFilters(given: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const filters: Record<string, readonly string[]> = {}
  for (const item of given) {
    const at = item.indexOf('=')
    if (at < 1) throw new UsageError(`A filter is written field=value, got ${item}`)
    const [field, value] = [item.slice(0, at), item.slice(at + 1)]
    filters[field] = [...(filters[field] ?? []), value]
  }
  return filters
}
