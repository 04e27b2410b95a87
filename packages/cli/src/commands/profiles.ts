import { type Connection, type Credentials, createClient } from '@tutti/client'
import { Option } from 'commander'
import { profilesFile } from '../configuration/folder.ts'
import type { Context } from '../context.ts'
import { UsageError } from '../errors/usage-error.ts'
import { generatedPassword, isLocal, localUrl } from '../profiles/connect.ts'
import { type Profile, readProfiles, writeProfiles } from '../profiles/profile.ts'
import { textColumn } from './columns.ts'
import type { CommandDefinition, Noun, Options } from './command.ts'

export const initCommand: CommandDefinition = {
  usage: 'init [name]',
  description: 'Log in to a manager and remember it as a profile',
  examples: [
    'tutti init',
    'tutti init production --url https://tutti.example.org --username alice --tenant web',
  ],
  options: [
    new Option('--username <name>', 'user to log in as (default: admin)'),
    new Option('--with-token', 'remember a new token in place of the password'),
  ],
  run: init,
}

export const profiles: Noun = {
  name: 'profiles',
  description: 'Managers that you have logged in to',
  commands: [
    {
      usage: 'list',
      description: 'List profiles',
      examples: ['tutti profiles list'],
      run: async ({ environment, printer }) => {
        const { current, profiles } = await readProfiles(environment)
        const items = Object.entries(profiles).map(([name, { url, tenant, username }]) => {
          return { name, url, tenant, username: username ?? null, is_current: name === current }
        })
        const metadata = { pagination: { total: items.length, offset: 0, size: items.length } }
        printer.list(
          { items, metadata },
          [
            textColumn('', (row) => (row.is_current ? '*' : '')),
            textColumn('name', ({ name }) => name),
            textColumn('manager', ({ url }) => url),
            textColumn('tenant', ({ tenant }) => tenant),
            textColumn('user', ({ username }) => username),
          ],
          'profiles',
        )
      },
    },
    {
      usage: 'use <profile>',
      description: 'Use a profile from now on',
      examples: ['tutti profiles use production'],
      run: async ({ environment, printer }, [name = '']) => {
        const { profiles } = await readProfiles(environment)
        const profile = existing(profiles, name)
        await writeProfiles(environment, { current: name, profiles })
        printer.value({ name }, `Now using ${name}: ${profile.url}, tenant ${profile.tenant}`)
      },
    },
    {
      usage: 'delete <profile>',
      description: 'Forget a profile',
      examples: ['tutti profiles delete production'],
      run: async ({ environment, printer }, [name = '']) => {
        const { current, profiles } = await readProfiles(environment)
        existing(profiles, name)
        const rest = Object.fromEntries(Object.entries(profiles).filter(([other]) => other !== name))
        await writeProfiles(environment, { current: current === name ? undefined : current, profiles: rest })
        printer.value({ name }, `Forgot ${name}`)
      },
    },
  ],
}

function existing(profiles: Readonly<Record<string, Profile>>, name: string): Profile {
  const profile = profiles[name]
  if (profile !== undefined) return profile
  throw new UsageError(
    `There is no profile ${name}`,
    `There are: ${Object.keys(profiles).join(', ') || 'none'}`,
  )
}

async function init(context: Context, [given]: readonly string[], options: Options): Promise<void> {
  const { environment, printer } = context
  const { configuration } = await context.configuration()
  const url = configuration.url ?? localUrl(configuration)
  const tenant = configuration.tenant ?? 'default_tenant'
  const username = options.text('username') ?? configuration.username ?? 'admin'
  const generated = username === 'admin' && isLocal(url) ? await generatedPassword(configuration) : undefined
  const credentials = await askCredentials(context, username, configuration.password ?? generated, url)
  const connection: Connection = { url, tenant, credentials }
  const client = createClient(connection, environment.fetch)
  const { version, edition } = await client.manager.version()

  const isFromFile = credentials.kind === 'password' && credentials.password === generated
  const kept: Profile = {
    url,
    tenant,
    username,
    // The generated password stays in its own file, so that the profile is right after it changes.
    ...(isFromFile || credentials.kind !== 'password' ? {} : { password: credentials.password }),
    ...(credentials.kind === 'token' ? { token: credentials.token } : {}),
  }
  const profile = options.flag('withToken') ? await withToken(client, kept) : kept
  const name = given ?? (isLocal(url) ? 'local' : new URL(url).hostname)
  const { profiles } = await readProfiles(environment)
  await writeProfiles(environment, { current: name, profiles: { ...profiles, [name]: profile } })
  printer.value(
    { name, url, tenant, username, version },
    `Logged in to ${url} (version ${version}, ${edition}) as ${username}\n` +
      `  profile ${name} is kept in ${profilesFile(environment)}\n  next: tutti status`,
  )
}

async function askCredentials(
  { environment, configuration }: Context,
  username: string,
  known: string | undefined,
  url: string,
): Promise<Credentials> {
  const { token } = (await configuration()).configuration
  if (token !== undefined) return { kind: 'token', token }
  if (known !== undefined) return { kind: 'password', username, password: known }
  if (environment.askSecret === undefined) {
    throw new UsageError(
      `There is no terminal to ask for the password of ${username} at ${url}`,
      'Set TUTTI_PASSWORD or TUTTI_TOKEN',
    )
  }
  const password = await environment.askSecret(`Password of ${username} at ${url}: `)
  return { kind: 'password', username, password }
}

async function withToken(
  client: ReturnType<typeof createClient>,
  { password: _password, ...profile }: Profile,
): Promise<Profile> {
  const { value } = await client.tokens.create({ description: 'tutti init' })
  return { ...profile, token: value }
}
