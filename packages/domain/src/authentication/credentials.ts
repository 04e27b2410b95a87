/** What somebody says of who they are, in the order of precedence of docs/reference/access.md, "Credentials". */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'execution-token'; readonly token: string }
  | {
      readonly kind: 'basic'
      readonly username: string
      readonly password: string
      /** What counts when nobody has that name. */
      readonly otherwise: Credentials
    }
  | { readonly kind: 'token'; readonly token: string }
