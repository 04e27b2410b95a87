import { join, resolve } from 'node:path'
import type { Environment } from '../environment.ts'

/** Folder of the configuration file and the profiles: `TUTTI_CONFIG_FOLDER`, else the XDG one. */
export function configurationFolder({ variables, home, workingFolder }: Environment): string {
  const own = variables.TUTTI_CONFIG_FOLDER
  if (own !== undefined && own !== '') return resolve(workingFolder, own)
  const xdg = variables.XDG_CONFIG_HOME
  return join(xdg === undefined || xdg === '' ? join(home, '.config') : xdg, 'tutti')
}

export const configurationFile = (environment: Environment): string =>
  join(configurationFolder(environment), 'config.json')

export const profilesFile = (environment: Environment): string =>
  join(configurationFolder(environment), 'profiles.json')
