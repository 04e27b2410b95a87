/** `https://user:password@host` and `https://host/path?token=x`, wherever they stand in a text. */
const userInfo = /([a-z][a-z0-9+.-]*:\/\/)[^\s/?#'"]*@/gi
const query = /([a-z][a-z0-9+.-]*:\/\/[^\s?#'"]*)[?#][^\s'"]*?(?=[:;,.]*(?:[\s'"]|$))/gi

/**
 * The text with its addresses as they may be shown: without names, passwords, and what follows the path, which holds
 * tokens and signatures.
 */
export const withoutCredentials = (text: string): string =>
  text.replace(userInfo, '$1').replace(query, '$1?…')

/**
 * The same of one address as somebody wrote it, which may be none: whatever stands before its last `@` may be a password,
 * which is not found in a text where it has quotes, spaces or slashes, or no `//` before it.
 */
export function shownAddress(address: string): string {
  const [beforeQuery = ''] = address.split(/[?#]/, 1)
  const query = beforeQuery.length < address.length ? '?…' : ''
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url !== undefined && url.host !== '') {
    if (url.username === '' && url.password === '') return beforeQuery + query
    return `${url.protocol}//${url.host}${url.pathname}${url.search + url.hash === '' ? '' : '?…'}`
  }
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(address)?.[0] ?? ''
  const end = address.lastIndexOf('@') + 1
  return end === 0 ? beforeQuery + query : `${scheme}${address.slice(end).replace(/[?#].*$/s, '?…')}`
}
