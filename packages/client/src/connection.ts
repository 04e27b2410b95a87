/** Where the manager is, who asks, and in which tenant. */
export type Connection = {
  /** Without a path, as `http://127.0.0.1:8080`. */
  readonly url: string
  readonly tenant: string
  readonly credentials: Credentials
}

export type Credentials =
  | { readonly kind: 'password'; readonly username: string; readonly password: string }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'none' }

/** The headers that every request carries (docs/reference/access.md, "Credentials"). */
export function connectionHeaders({ tenant, credentials }: Connection): Readonly<Record<string, string>> {
  switch (credentials.kind) {
    case 'none':
      return { tenant }
    case 'token':
      return { tenant, 'authentication-token': credentials.token }
    case 'password': {
      const pair = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')
      return { tenant, authorization: `Basic ${pair}` }
    }
  }
}
