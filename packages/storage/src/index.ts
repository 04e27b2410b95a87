export { type Database, type OpenDatabase, openDatabase, toJson } from './database.ts'
export { migrate } from './migrations/index.ts'
export type { JsonColumn, Schema, Visibility } from './schema.ts'
