export { adminPasswordFile, bootstrap } from './bootstrap.ts'
