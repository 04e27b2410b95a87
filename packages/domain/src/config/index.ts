/**
 * Settings that change while managers run, each in a scope with a schema (docs/reference/cluster-and-configuration.md,
 * "Configuration").
 */
export { getSetting, listConfiguration, setSetting } from './service.ts'
