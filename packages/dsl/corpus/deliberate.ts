/** Cases that are answered differently on purpose: id → the reason, with its place in dsl.md. */
export const DELIBERATE: ReadonlyMap<string, string> = new Map()
