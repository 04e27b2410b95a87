export { permissionHandlers } from './routes.ts'
