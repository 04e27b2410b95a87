export { ldapHandlers } from './routes.ts'
