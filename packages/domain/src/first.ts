/** What every database begins with (docs/reference/access.md, "The first start"). */
export const defaultTenant = { id: 0, name: 'default_tenant' } as const
export const bootstrapAdmin = { id: 0, username: 'admin' } as const
