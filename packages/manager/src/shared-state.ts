import type { LogLevel } from '@tutti/api'
import {
  type ConfigValues,
  type Database,
  type MaintenanceState,
  type Notification,
  openConfigValues,
  readMaintenance,
  type Watched,
  watch,
} from '@tutti/storage'
import type { FastifyBaseLogger } from 'fastify'
import type { ManagerSettings } from './settings.ts'

/** What every manager of the cluster keeps in memory and hears of when another one changes it. */
export type SharedState = {
  readonly config: ConfigValues
  readonly maintenance: Watched<MaintenanceState | undefined>
  onNotification(notification: Notification): void
  onListening(isListening: boolean): void
  close(): void
}

export async function openSharedState(
  db: Database,
  settings: ManagerSettings,
  log: FastifyBaseLogger,
): Promise<SharedState> {
  const onError = (error: unknown) =>
    log.warn({ err: error }, 'what other managers changed could not be read yet')
  const own = {
    rest_service_log_level: configLevels[settings.logLevel],
    blueprint_folder_max_size_mb: settings.maxUnpackedBytes / 2 ** 20,
    blueprint_folder_max_files: settings.maxUnpackedEntries,
  } as const
  const config = await openConfigValues(db, own, {
    onError,
    onChange(stored) {
      const level = stored.get('rest.rest_service_log_level')?.value as LogLevel | undefined
      log.level = level === undefined ? settings.logLevel : logLevels[level]
    },
  })
  const maintenance = await watch('maintenance', () => readMaintenance(db), { onError })
  const parts = [config, maintenance]
  return {
    config,
    maintenance,
    onNotification(notification) {
      for (const part of parts) part.onNotification(notification)
    },
    onListening(isListening) {
      for (const part of parts) part.onListening(isListening)
    },
    close() {
      for (const part of parts) part.close()
    },
  }
}

const logLevels = {
  DEBUG: 'debug',
  INFO: 'info',
  WARNING: 'warn',
  ERROR: 'error',
  CRITICAL: 'fatal',
} as const satisfies Readonly<Record<LogLevel, string>>

const configLevels = {
  debug: 'DEBUG',
  info: 'INFO',
  warn: 'WARNING',
  error: 'ERROR',
  silent: 'CRITICAL',
} as const
