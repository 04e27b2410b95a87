import { readdir, readFile, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { type DataFolder, socketPath } from './data-folder.ts'
import { superuser } from './initialise.ts'
import { type ServerProcess, startLog } from './server-process.ts'

/** Does anything accept connections on the socket of `folder`? */
export async function answers(folder: string): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(socketPath(folder))
    const finish = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.on('connect', () => finish(true))
    socket.on('error', () => finish(false))
  })
}

/**
 * Waits until the server runs queries: `undefined`, or what went wrong. Recovery after a crash takes as long
 * as it takes; only the end of the process, or of `giveUp`, ends the wait.
 */
export async function whenReady(
  server: ServerProcess,
  socketFolder: string,
  giveUp: AbortSignal,
): Promise<string | undefined> {
  let ended: string | undefined
  void server.ended.then((reason) => {
    ended = reason
  })
  for (let waitMs = 5; ; waitMs = Math.min(waitMs * 1.5, 250)) {
    if (ended !== undefined) return ended
    if (giveUp.aborted) return 'it did not answer in time'
    if (await runsQueries(socketFolder)) return undefined
    await Promise.race([delay(waitMs), server.ended])
  }
}

async function runsQueries(socketFolder: string): Promise<boolean> {
  const client = new Client({ host: socketFolder, port: 5432, user: superuser, database: 'postgres' })
  client.on('error', () => undefined) // a connection that breaks is an answer too: not ready
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Makes the database of Tutti when it is not there yet. */
export async function ensureDatabase(socketFolder: string, name: string): Promise<void> {
  const client = new Client({ host: socketFolder, port: 5432, user: superuser, database: 'postgres' })
  await client.connect()
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`)
  } finally {
    await client.end()
  }
}

/** The last lines that the server printed, newest file last, for error messages. */
export async function lastLogLines(folder: DataFolder): Promise<string> {
  const names = await readdir(folder.log)
  const files = names.filter((name) => name.startsWith('postgresql-')).map((name) => join(folder.log, name))
  const dated = await Promise.all(files.map(async (file) => ({ file, at: (await stat(file)).mtimeMs })))
  const newest = dated.sort((a, b) => b.at - a.at)[0]?.file
  const texts = await Promise.all(
    [startLog(folder), newest].map((file) =>
      file === undefined ? '' : readFile(file, 'utf8').catch(() => ''),
    ),
  )
  return texts
    .flatMap((content) => content.trim().split('\n').slice(-5))
    .join('\n')
    .trim()
}
