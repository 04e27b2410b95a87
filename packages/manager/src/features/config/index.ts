/** Settings that change while managers run, each in a scope with a schema (spec/rest-facts-b.md 12). */

export { configHandlers } from './routes.ts'
