/** What every database begins with (spec/rest-spec-a.md 5.3). */
export const defaultTenant = { id: 0, name: 'default_tenant' } as const
export const bootstrapAdmin = { id: 0, username: 'admin' } as const
