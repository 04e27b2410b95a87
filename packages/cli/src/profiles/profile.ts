import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { profilesFile } from '../configuration/folder.ts'
import type { Environment } from '../environment.ts'
import { UsageError } from '../errors/usage-error.ts'

/** A manager and how to log in to it. Without credentials they come from the environment or the data folder. */
export type Profile = {
  readonly url: string
  readonly tenant: string
  readonly username?: string
  readonly password?: string
  readonly token?: string
}

export type Profiles = {
  readonly current: string | undefined
  readonly profiles: Readonly<Record<string, Profile>>
}

const none: Profiles = { current: undefined, profiles: {} }

/** @throws UsageError when the file is damaged or others could read the secrets in it */
export async function readProfiles(environment: Environment): Promise<Profiles> {
  const file = profilesFile(environment)
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (found === undefined) return none
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0) {
    throw new UsageError(`${file} holds secrets, but others may read it`, `Close it: chmod 600 ${file}`)
  }
  try {
    return parseProfiles(JSON.parse(await readFile(file, 'utf8')))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(
      `${file} is damaged: ${reason}`,
      `Repair it, or remove it and run \`tutti init\` again`,
    )
  }
}

/** Writes a new file with mode 0600 and puts it in place of the old one, so that neither is ever half there. */
export async function writeProfiles(environment: Environment, profiles: Profiles): Promise<void> {
  const file = profilesFile(environment)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${process.pid}.new`
  await writeFile(fresh, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 })
  await rename(fresh, file)
}

function parseProfiles(value: unknown): Profiles {
  const { current, profiles } = asObject('the file', value)
  const entries = Object.entries(asObject('profiles', profiles)).map(
    ([name, profile]) => [name, parseProfile(name, profile)] as const,
  )
  return { current: asText('current', current), profiles: Object.fromEntries(entries) }
}

function parseProfile(name: string, value: unknown): Profile {
  const profile = asObject(name, value)
  const text = (key: string) => asText(`${name}.${key}`, profile[key])
  const [url, tenant] = [text('url'), text('tenant')]
  if (url === undefined || tenant === undefined) throw new Error(`${name} has no url or no tenant`)
  const secrets = Object.entries({
    username: text('username'),
    password: text('password'),
    token: text('token'),
  })
  return { url, tenant, ...Object.fromEntries(secrets.filter(([, secret]) => secret !== undefined)) }
}

function asObject(what: string, value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`${what} is not an object`)
  }
  return { ...value }
}

function asText(what: string, value: unknown): string | undefined {
  if (value === undefined || value === null || typeof value === 'string') return value ?? undefined
  throw new Error(`${what} is not a text`)
}
