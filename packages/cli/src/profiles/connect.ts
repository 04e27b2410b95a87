import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Connection, Credentials } from '@tutti/client'
import type { Configuration } from '../configuration/settings.ts'
import type { Environment } from '../environment.ts'
import { UsageError } from '../errors/usage-error.ts'
import { type Profile, readProfiles } from './profile.ts'

/** The manager that `tutti serve` starts on this machine unless told otherwise. */
export const localUrl = ({ host, port, tlsCertificate }: Configuration): string =>
  `${tlsCertificate === undefined ? 'http' : 'https'}://${['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`

/**
 * Where client commands go: flags and environment, else the profile, else the manager on this machine with
 * the password that it generated, when this user may read it.
 *
 * @throws UsageError when the profile does not exist
 */
export async function findConnection(
  environment: Environment,
  configuration: Configuration,
): Promise<Connection> {
  const profile = await findProfile(environment, configuration.profile)
  const url = configuration.url ?? profile?.url ?? localUrl(configuration)
  // Credentials belong to the manager of their profile: never send them to another one.
  const owner = profile !== undefined && profile.url === url ? profile : undefined
  return {
    url,
    tenant: configuration.tenant ?? profile?.tenant ?? 'default_tenant',
    credentials: await findCredentials(configuration, owner, url),
  }
}

async function findProfile(environment: Environment, name: string | undefined): Promise<Profile | undefined> {
  const { current, profiles } = await readProfiles(environment)
  const wanted = name ?? current
  if (wanted === undefined) return undefined
  const profile = profiles[wanted]
  if (profile !== undefined) return profile
  const known = Object.keys(profiles)
  throw new UsageError(
    `There is no profile ${wanted}`,
    known.length === 0 ? 'Make one: tutti init' : `There are: ${known.join(', ')}`,
  )
}

async function findCredentials(
  configuration: Configuration,
  profile: Profile | undefined,
  url: string,
): Promise<Credentials> {
  if (configuration.token !== undefined) return { kind: 'token', token: configuration.token }
  const username = configuration.username ?? profile?.username ?? 'admin'
  if (configuration.password !== undefined) {
    return { kind: 'password', username, password: configuration.password }
  }
  const isOwnUser = configuration.username === undefined || configuration.username === profile?.username
  if (isOwnUser && profile?.token !== undefined) return { kind: 'token', token: profile.token }
  if (isOwnUser && profile?.password !== undefined) {
    return { kind: 'password', username, password: profile.password }
  }
  const generated = username === 'admin' && isLocal(url) ? await generatedPassword(configuration) : undefined
  return generated === undefined ? { kind: 'none' } : { kind: 'password', username, password: generated }
}

export const isLocal = (url: string): boolean =>
  ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname)

/** The password that the manager wrote at its first start; undefined when there is none for this user. */
export async function generatedPassword({ dataFolder }: Configuration): Promise<string | undefined> {
  try {
    const password = (await readFile(join(dataFolder, 'admin-password'), 'utf8')).trim()
    return password === '' ? undefined : password
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'EACCES' || code === 'ENOTDIR') return undefined
    throw error
  }
}
