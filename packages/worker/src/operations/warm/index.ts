export { lineReader } from './lines.ts'
export { createParents, type ParentEvents, type Parents } from './parents.ts'
export { startWarm } from './start-warm.ts'
