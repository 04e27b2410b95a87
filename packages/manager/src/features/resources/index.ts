/** The file server: files of blueprints and deployments, for operations and consoles (spec/operations.md 2.2). */

export { resourceHandlers } from './routes.ts'
