import { type SettingName, type SettingValue, settingDefault, settingScope } from '@tutti/api'
import type { Database } from '../database.ts'
import { type Watched, type WatchOptions, watch } from './watch.ts'

export type StoredSetting = {
  readonly value: unknown
  readonly updated_at: Date
  readonly updater_name: string
}

/** By `scope.name`. */
export type StoredSettings = ReadonlyMap<string, StoredSetting>

/** The settings of `PUT /config`, as they are now. */
export type ConfigValues = Omit<Watched<unknown>, 'current'> & {
  get<Name extends SettingName>(name: Name): SettingValue<Name>
  /** What somebody has set, else undefined. */
  stored(scope: string, name: string): StoredSetting | undefined
}

/** What this process was started with stands for the default of a setting that nobody has set. */
export type ProcessSettings = { readonly [Name in SettingName]?: SettingValue<Name> }

export async function openConfigValues(
  db: Database,
  own: ProcessSettings,
  options: WatchOptions<StoredSettings>,
): Promise<ConfigValues> {
  const watched = await watch('config', () => readStored(db), options)
  return {
    refresh: watched.refresh,
    onNotification: watched.onNotification,
    onListening: watched.onListening,
    close: watched.close,
    get<Name extends SettingName>(name: Name) {
      const found = watched.current.get(`${settingScope(name)}.${name}`)
      return (found?.value ?? own[name] ?? settingDefault(name)) as SettingValue<Name>
    },
    stored: (scope, name) => watched.current.get(`${scope}.${name}`),
  }
}

async function readStored(db: Database): Promise<StoredSettings> {
  const rows = await db.selectFrom('config').selectAll().execute()
  return new Map(rows.map(({ scope, name, ...setting }) => [`${scope}.${name}`, setting]))
}
