import { join } from 'node:path'
import type { Client } from '@tutti/client'
import { type OpenDatabase, openDatabase } from '@tutti/storage'
import type { Site } from './site.ts'
import { clientOf, freePort, type TuttiProcess } from './tutti-process.ts'

/** Everything in one process, that may be started again and again on the same data. */
export type OneBox = {
  readonly dataFolder: string
  readonly port: number
  readonly client: Client
  /** Past the manager; the caller's to close. */
  readonly database: OpenDatabase
  serve(): TuttiProcess
}

export async function oneBox(site: Site): Promise<OneBox> {
  const dataFolder = join(site.folder, 'data')
  const port = await freePort()
  return {
    dataFolder,
    port,
    client: clientOf(port),
    database: openDatabase({
      host: join(dataFolder, 'postgresql'),
      port: 5432,
      user: 'tutti',
      database: 'tutti',
      max: 1,
    }),
    serve: () => site.start('serve', ['serve', '--data-folder', dataFolder, '--port', String(port)]),
  }
}
