import { DummyDriver, Kysely, PostgresAdapter, PostgresQueryCompiler, type RawBuilder, sql } from 'kysely'

/** Writes statements and runs none. */
const writer = new Kysely<unknown>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: () => {
      throw new Error('there is no database to look into')
    },
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

/**
 * SQL that is the same in every statement, as text: writing each of its parts anew was a third of what a short list costs
 * in Node. What has a value in it is left as it is.
 */
export function fixed<T>(part: RawBuilder<T>): RawBuilder<T> {
  const { sql: text, parameters } = part.compile(writer)
  return parameters.length === 0 ? sql.raw<T>(text) : part
}

/** Whether SQL names a column of one of these tables; where it names one of a subquery that is called alike, too. */
export function namesAny(part: RawBuilder<unknown>, tables: readonly string[]): boolean {
  const text = part.compile(writer).sql
  return tables.some((table) => text.includes(`${table}.`) || text.includes(`"${table}".`))
}

const known = new WeakMap<RawBuilder<unknown>, RawBuilder<unknown>>()

/** The same for parts that resources hold, made when they are first used. */
export function fixedOnce(part: RawBuilder<unknown>): RawBuilder<unknown> {
  const found = known.get(part)
  if (found !== undefined) return found
  const made = fixed(part)
  known.set(part, made)
  return made
}
