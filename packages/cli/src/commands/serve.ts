import type { Context } from '../context.ts'
import { UsageError } from '../errors/usage-error.ts'
import { generatedPassword } from '../profiles/connect.ts'
import { serve } from '../serve/serve.ts'
import { type CommandDefinition, settingOptions } from './command.ts'

export const serveCommand: CommandDefinition = {
  usage: 'serve',
  description: 'Run the manager: REST service, workers and their coordinator, on an embedded database',
  examples: [
    'tutti serve',
    'tutti serve --host 0.0.0.0 --port 8080 --data-folder /var/lib/tutti',
    'TUTTI_DATABASE_URL=postgres://tutti@db/tutti tutti serve --roles api',
  ],
  options: settingOptions('server'),
  run: (context) => run(context),
}

export const workerCommand: CommandDefinition = {
  usage: 'worker',
  description: 'Run only a worker, on the database of other managers',
  examples: ['TUTTI_DATABASE_URL=postgres://tutti@db/tutti tutti worker --manager-url http://tutti:8080'],
  options: settingOptions('server').filter(({ long }) => long !== '--roles'),
  run: async (context) => {
    const { configuration } = await context.configuration()
    if (configuration.databaseUrl === undefined) {
      throw new UsageError(
        'A worker of its own needs the database of its managers: TUTTI_DATABASE_URL is not set',
        'Run `tutti serve` for everything in one process',
      )
    }
    await run(context, 'worker')
  },
}

export const rotateKeyCommand: CommandDefinition = {
  usage: 'rotate-key',
  description:
    'Encrypt all secrets again under a new key, while no manager runs; goes on where it was killed',
  examples: ['tutti rotate-key', 'tutti rotate-key --data-folder /var/lib/tutti'],
  options: settingOptions('server').filter(({ long }) => long === '--data-folder'),
  run: rotate,
}

async function rotate({ configuration, parts, printer }: Context): Promise<void> {
  const { configuration: effective } = await configuration()
  const store = await parts.openStore(effective)
  try {
    const { resealed } = await parts.rotateKeys(effective, store)
    printer.value({ resealed }, `Encrypted again under the new key: ${resealed}`)
  } finally {
    await store.close()
  }
}

async function run(context: Context, role?: 'worker'): Promise<void> {
  const { environment, parts, printer } = context
  const { configuration } = await context.configuration()
  const signal = environment.interruption()
  await serve({ ...configuration, ...(role === undefined ? {} : { roles: role }) }, parts, {
    signal,
    onReady: async (url) => {
      if (url === undefined) {
        printer.value({ ready: true }, 'Tutti works. Ctrl-C stops it.')
        return
      }
      const isGenerated = (await generatedPassword(configuration)) !== undefined
      printer.value(
        { ready: true, url },
        `Tutti serves ${url}\n` +
          (isGenerated ? `  password of admin: ${configuration.dataFolder}/admin-password\n` : '') +
          '  next: tutti status, tutti install PATH\n' +
          '  Ctrl-C stops it.',
      )
    },
    onStopping: () => printer.note('Stopping: running operations are handed back …'),
  })
}
