export { settleEnvironments, settlingEnvironments } from './settle-queries.ts'
export { fieldsBelow, fieldsOfChildren, joinEnvironment, wholeStatus } from './status-queries.ts'
