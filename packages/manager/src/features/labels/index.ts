/**
 * Labels in use: keys, and values of a key, of blueprints, deployments and deployment groups
 * (spec/rest-facts-a.md 17). They are set with their owner.
 */

export { labelHandlers } from './routes.ts'
