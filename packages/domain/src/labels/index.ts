/**
 * Labels in use: keys, and values of a key, of blueprints, deployments and deployment groups
 * (docs/reference/sites-filters-labels.md, "Label keys and values"). They are set with their owner.
 */
export { listLabels } from './service.ts'
