import { type Static, type TObject, type TSchema, Type } from 'typebox'

export const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

/** `YYYY-MM-DDTHH:MM:SS.mmmZ`, UTC. */
export const Timestamp = Type.String({ format: 'date-time' })

/** What people write about a thing. It stands in every list of such things. */
export const Description = Type.String({ maxLength: 100_000 })

/** A JSON object whose content is the blueprint author's affair. */
export const JsonObject = Type.Record(Type.String(), Type.Unknown())

export const VisibilityName = Type.Union([
  Type.Literal('private'),
  Type.Literal('tenant'),
  Type.Literal('global'),
])

/** What every resource of a tenant carries (docs/reference/rest-conventions.md, "Owner fields"). */
export const ownerFields = {
  created_at: Timestamp,
  created_by: Type.String(),
  tenant_name: Type.String(),
  visibility: Type.String(),
  /** Always equal to `visibility`. */
  resource_availability: Type.String(),
  private_resource: Type.Boolean(),
}

/**
 * Who created a resource and when; for those who may say so, as a restored snapshot does
 * (docs/reference/rest-conventions.md, "Owner fields").
 */
export const creationOverrides = {
  created_by: Type.Optional(Nullable(Type.String())),
  created_at: Type.Optional(Nullable(Type.String())),
}

/** How widely a new resource is seen: its name, or the older word that says private. */
export const newVisibility = {
  visibility: Type.Optional(Nullable(Type.String())),
  private_resource: Type.Optional(Nullable(Type.Boolean())),
}

/** An object of an answer; versions may add fields, so clients must let unknown ones pass. */
export const Shape = <Properties extends Record<string, TSchema>>(title: string, properties: Properties) =>
  Type.Object(properties, { title })

export const ListMetadata = Type.Object({
  pagination: Type.Object({
    total: Type.Integer({
      description: 'Exact up to 100,000 beyond the page; a larger one is a lower bound',
    }),
    offset: Type.Integer(),
    size: Type.Integer(),
  }),
  filtered: Type.Optional(Nullable(Type.Integer())),
})
export type ListMetadata = Static<typeof ListMetadata>

/** The list envelope (docs/reference/rest-conventions.md, "Lists"). */
export const ListOf = <Item extends TSchema>(item: Item) =>
  Type.Object({ items: Type.Array(item), metadata: ListMetadata })

export type ListOf<Item> = { readonly items: readonly Item[]; readonly metadata: ListMetadata }

export const ErrorShape = Shape('Error', {
  message: Type.String(),
  error_code: Type.String(),
  server_traceback: Nullable(Type.String()),
  hint: Type.Optional(Type.String()),
})

export const EmptyBody: TObject = Type.Object({})

/** What lists leave out or only count: members and their roles, workflows of deployments. */
export const WithData = Type.Object({ _get_data: Type.Optional(Type.Boolean()) })
