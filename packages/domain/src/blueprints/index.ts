/**
 * Blueprints: archives with a main file, and the plan that an execution parses out of it
 * (docs/reference/blueprints.md).
 */

export { blueprintResource } from './queries.ts'
export {
  changeBlueprint,
  downloadArchive,
  getBlueprint,
  hiddenIfAsked,
  listBlueprints,
  removeBlueprint,
  requireBlueprint,
  setBlueprintVisibility,
} from './service.ts'
export { setBlueprintIcon } from './set-icon.ts'
export { uploadBlueprint, validateBlueprint } from './upload.ts'
