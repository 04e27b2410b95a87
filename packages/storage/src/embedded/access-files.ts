import { userInfo } from 'node:os'

/**
 * pg_hba.conf: over the socket, and only for the user that Tutti runs as and for root: the system says who asks (`peer`).
 * Not for the user that the server runs as, nor for whoever else gets to the socket.
 */
export const accessRules = 'local all all peer map=tutti\n'

/** pg_ident.conf: which users of the system are which of the database. Root could become any of them anyway. */
export function accessMap(role: string): string {
  const names = new Set([userInfo().username, 'root'])
  return [...names].map((name) => `tutti ${quote(name)} ${role}\n`).join('')
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`
