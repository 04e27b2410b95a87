import { systemRoles, tenantRoles } from '@tutti/api'
import { Option } from 'commander'

/** A role that counts in every tenant. */
export const systemRoleOption = (): Option =>
  new Option('-r, --role <role>', 'role that counts in every tenant').choices(systemRoles)

export const tenantRoleOption = (flags = '-r, --role <role>'): Option =>
  new Option(flags, 'role in the tenant').choices(tenantRoles)

/** Members in place of their counts. */
export const getDataOption = (): Option => new Option('--get-data', 'names in place of counts')
