import { type RawBuilder, sql } from 'kysely'

/*
 * What PostgreSQL does with shared texts (`SharedText` in api): a part's number stands on a line of its own, and parts
 * are one text, `partsText`.
 */

/** A table of one row and column: the parts, as `text[]`. `offset 0`: they are taken apart once. */
export const partsList = (parts: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`(select string_to_array(${parts}::text, E'\\n,') offset 0)`

/** The text written out. @param list parts, as `partsList` has them */
export const writtenOutBy = (
  text: RawBuilder<unknown>,
  list: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`(
  select string_agg(case when at % 2 = 0 then (${list})[line::int + 1] else line end, '' order by at)
  from unnest(string_to_array(${text}::text, E'\\n')) with ordinality as lines (line, at))`

/** What an answer shows of a column with a shared text: whoever sends it writes it out (`writtenOut` in api). */
export const sharedColumn = (text: RawBuilder<unknown>, parts: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`case when ${parts} is null then ${text}
    else (E'\\r[[' || ${parts} || E']\\r,' || ${text}::text || E']\\r')::json end`
