export { type ObjectReader, objectsExist } from './objects-exist.ts'
export { secretExists } from './queries.ts'
