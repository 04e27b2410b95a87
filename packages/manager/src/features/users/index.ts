/** Users of the manager: roles, passwords, activation and lockout (spec/rest-facts-b.md 4). */

export { userHandlers } from './routes.ts'
export { keepingAnAdministrator, requireUser } from './service.ts'
