/** Users of the manager: roles, passwords, activation and lockout (docs/reference/access.md, "Users"). */

export type { UserView } from './queries.ts'
export {
  changeUser,
  createUser,
  getSelf,
  getUser,
  keepingAnAdministrator,
  listUsers,
  removeUser,
  requireUser,
  setActive,
  unlockUser,
} from './service.ts'
