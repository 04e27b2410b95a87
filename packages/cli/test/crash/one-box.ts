import { join } from 'node:path'
import type { Client } from '@tutti/client'
import { type OpenDatabase, openDatabase } from '@tutti/storage'
import { processesWith } from './process-table.ts'
import type { Site } from './site.ts'
import { clientOf, freePort, type TuttiProcess, untilReady } from './tutti-process.ts'
import { until } from './until.ts'

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

/** Killed without warning, and started again once its operations are gone. */
export async function restarted(site: Site, box: OneBox, server: TuttiProcess): Promise<TuttiProcess> {
  server.kill('SIGKILL')
  await server.ended
  await until('the end of the killed manager’s operations', 60_000, async () => {
    return (await processesWith(site.marker)).length === 0
  })
  const next = box.serve()
  await untilReady(box.port, next)
  return next
}
