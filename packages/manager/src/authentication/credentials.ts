import type { IncomingHttpHeaders } from 'node:http'
import { tokenCookie } from '@tutti/api'
import type { Credentials } from '@tutti/domain/authentication'

/** The token in the cookie, and nothing else (docs/reference/access.md, "Credentials"). */
export function readCookie({ cookie = '' }: IncomingHttpHeaders): Credentials {
  const [value] = cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${tokenCookie}=`))
  const token = value?.slice(tokenCookie.length + 1).replace(/^"(.*)"$/, '$1') ?? ''
  return token === '' ? { kind: 'none' } : { kind: 'token', token }
}

export function readCredentials(headers: IncomingHttpHeaders): Credentials {
  const executionToken = single(headers['execution-token'])
  if (executionToken !== undefined) return { kind: 'execution-token', token: executionToken }
  const token = single(headers['authentication-token'])
  const otherwise: Credentials = token === undefined ? { kind: 'none' } : { kind: 'token', token }
  return readBasic(headers.authorization, otherwise) ?? otherwise
}

function readBasic(header: string | undefined, otherwise: Credentials): Credentials | undefined {
  const match = /^basic\s+(\S+)\s*$/i.exec(header ?? '')
  if (match === null) return undefined
  const text = Buffer.from(match[1] ?? '', 'base64').toString('utf8')
  const colon = text.indexOf(':')
  const username = text.slice(0, colon)
  // A name that cannot be one is no credential at all: the answer is that none was given.
  if (colon < 0 || !/^[A-Za-z]/.test(username)) return undefined
  return { kind: 'basic', username, password: text.slice(colon + 1), otherwise }
}

function single(header: string | string[] | undefined): string | undefined {
  const value = Array.isArray(header) ? header[0] : header
  return value === undefined || value === '' ? undefined : value
}
