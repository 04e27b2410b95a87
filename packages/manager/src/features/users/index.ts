/** Users of the manager: roles, passwords, activation and lockout (docs/reference/access.md, "Users"). */

export { userHandlers } from './routes.ts'
export { keepingAnAdministrator, requireUser } from './service.ts'
