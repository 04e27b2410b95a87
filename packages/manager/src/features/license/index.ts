export { licenseHandlers } from './routes.ts'
