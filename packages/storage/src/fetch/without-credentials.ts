/** `https://user:password@host` and `https://host/path?token=x`, wherever they stand in a text. */
const userInfo = /([a-z][a-z0-9+.-]*:\/\/)[^\s/?#'"]*@/gi
const query = /([a-z][a-z0-9+.-]*:\/\/[^\s?#'"]*)[?#][^\s'"]*?(?=[:;,.]*(?:[\s'"]|$))/gi

/**
 * The text with its addresses as they may be shown: without names, passwords, and what follows the path, which holds
 * tokens and signatures.
 */
export const withoutCredentials = (text: string): string =>
  text.replace(userInfo, '$1').replace(query, '$1?…')
