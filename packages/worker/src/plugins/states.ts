import { type InstallationReport, writePluginState } from '@tutti/domain/plugins'
import { type Database, isDatabaseAway, type PluginProgress } from '@tutti/storage'
import { whileAway } from '../while-away.ts'
import type { StoredPlugin } from './queries.ts'

/** What is said of one installation: its state on this machine, and how far it has come. */
export type StateReport = {
  progress(progress: PluginProgress): void
  /** After all progress. A database that is away is waited for, until the signal. */
  end(report: InstallationReport): Promise<void>
}

export const writeState = (
  db: Database,
  { tenantId, id }: StoredPlugin,
  manager: string,
  report: InstallationReport,
): Promise<void> => writePluginState(db, { tenantId, pluginId: id }, { manager }, report)

export async function beginReport(
  db: Database,
  plugin: StoredPlugin,
  manager: string,
  signal: AbortSignal,
): Promise<StateReport> {
  const write = (report: InstallationReport) =>
    whileAway(
      () => writeState(db, plugin, manager, report),
      () => signal.throwIfAborted(),
    )
  await write({ state: 'installing' })
  let latest: PluginProgress | undefined
  let writing: Promise<void> | undefined
  async function writeLatest(): Promise<void> {
    while (latest !== undefined) {
      const progress = latest
      latest = undefined
      // The next one says it as well.
      await writeState(db, plugin, manager, { state: 'installing', progress }).catch((error: unknown) => {
        if (!isDatabaseAway(error)) throw error
      })
    }
  }
  return {
    progress(progress) {
      latest = progress
      writing ??= writeLatest().finally(() => {
        writing = undefined
      })
      writing.catch(() => {}) // `end` says it
    },
    async end(report) {
      latest = undefined
      await writing
      await write(report)
    },
  }
}
