import { createHash, timingSafeEqual } from 'node:crypto'
import { unauthorized } from '@tutti/api'
import type { Services } from '../services.ts'
import type { Credentials } from './credentials.ts'
import {
  findUserByName,
  findUserOfExecution,
  findUserOfToken,
  recordFailedLogin,
  recordLogin,
  recordTokenUse,
  type UserRow,
} from './queries.ts'

/** Who asks. `execution` is there when an operation or a workflow asks by its execution's token. */
export type Caller = {
  readonly userId: number
  readonly username: string
  readonly systemRole: string
  readonly execution: { readonly id: string; readonly tenantId: number; readonly status: string } | undefined
}

/** @throws unauthorized_error with the texts of spec/rest-facts-b.md 2 */
export async function authenticate(services: Services, credentials: Credentials): Promise<Caller> {
  switch (credentials.kind) {
    case 'execution-token':
      return byExecutionToken(services, credentials.token)
    case 'basic':
      return byPassword(services, credentials.username, credentials.password)
    case 'token':
      return credentials.token.startsWith('ctok-')
        ? byToken(services, credentials.token)
        : byExecutionToken(services, credentials.token)
    case 'none':
      throw unauthorized('No authentication info provided')
  }
}

async function byPassword({ db, passwords, now }: Services, username: string, password: string) {
  const user = await findUserByName(db, username)
  if (user === undefined) throw unauthorized('No authentication info provided')
  if (user.passwordHash === null || !(await passwords.fits(user.passwordHash, password))) {
    await recordFailedLogin(db, user.id)
    throw unauthorized(
      `Authentication failed for <User username=\`${user.username}\`>. Wrong credentials or locked account`,
    )
  }
  const caller = callerOf(user)
  await recordLogin(db, user, now())
  return caller
}

async function byToken({ db, now }: Services, token: string): Promise<Caller> {
  const [, id, secret, ...rest] = token.split('-')
  if (id === undefined || secret === undefined || rest.length > 0)
    throw unauthorized('Invalid token structure')
  const found = await findUserOfToken(db, id)
  if (found === undefined || !equalHex(found.secretHash, sha256(secret))) throw unauthorized('Unauthorized')
  if (found.expiresAt !== null && found.expiresAt <= now()) throw unauthorized('Token is expired')
  await recordTokenUse(db, id)
  return callerOf(found)
}

async function byExecutionToken({ db }: Services, token: string): Promise<Caller> {
  const found = await findUserOfExecution(db, sha256(token))
  if (found === undefined) throw unauthorized('Authentication failed, invalid Execution Token')
  return callerOf(found, { id: found.executionId, tenantId: found.tenantId, status: found.status })
}

function callerOf(user: UserRow, execution?: Caller['execution']): Caller {
  if (!user.active) throw unauthorized('No authentication info provided')
  return { userId: user.id, username: user.username, systemRole: user.role, execution }
}

/** Tokens are long and random: one round of SHA-256 is enough to keep them unreadable at rest. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function equalHex(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}
