/**
 * Searches: lists narrowed by rules or constraints of the body, also within one deployment or blueprint
 * (docs/reference/searches-and-summaries.md, "Searches").
 */
export { capabilities, nodeTypes, plannedNodes, scalingGroups } from './queries.ts'
export { askedFor, capabilityValues, fittingCapabilities, rulesFor, searchWithin } from './service.ts'
