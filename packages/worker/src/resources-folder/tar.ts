import { spawn } from 'node:child_process'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { commandAs, type OperationUser } from '../operations/index.ts'

/**
 * Packs and unpacks as the user whose files these are: links in them lead that user nowhere that its scripts cannot go.
 */
type As = { readonly folder: string; readonly user: OperationUser }

/**
 * The folder's content, as a tar. Answers what that user may not read, if something: then the tar is none, or with
 * `without` one without it.
 */
export async function packInto(
  { folder, user }: As,
  sink: (tar: Readable) => Promise<void>,
  { without }: { readonly without: boolean },
): Promise<string | undefined> {
  const child = start([...(without ? ['--ignore-failed-read'] : []), '-cf', '-', '-C', folder, '.'], user)
  child.stdin.end()
  const sunk = sink(child.stdout).catch((error: unknown) => {
    child.kill()
    throw error
  })
  const [end] = await Promise.all([child.end, sunk])
  const closed = end.text.split('\n').filter((line) => line.includes('Permission denied'))
  if (closed.length > 0 && (end.code === 0 || !without)) return closed.join('\n')
  // 1: a file was written meanwhile, which the next look at the folder sees.
  if (end.code !== 0 && end.code !== 1) throw failed('packed', folder, end.text)
  return undefined
}

/** Whoever may open what is closed to its own user does. What belongs to others stays as it is. */
export async function openToOwner({ folder, user }: As): Promise<void> {
  const child = startAs(user, ['chmod', '-R', 'u+rX', '--', folder])
  child.stdin.end()
  child.stdout.resume()
  await child.end
}

/** A tar.gz into the folder. */
export async function unpackFrom({ folder, user }: As, packed: AsyncIterable<Uint8Array>): Promise<void> {
  const child = start(['-xpf', '-', '-C', folder], user)
  child.stdout.resume()
  const written = pipeline(Readable.from(packed), createGunzip(), child.stdin).catch(
    (error: NodeJS.ErrnoException) => error,
  )
  const end = await child.end
  const broken = await written
  if (end.code !== 0) throw failed('unpacked', folder, end.text)
  if (broken instanceof Error && !isUnread(broken)) throw broken
}

/** tar ends at the mark of an archive's end, perhaps before it has read what fills up the last block after it. */
const isUnread = ({ code }: NodeJS.ErrnoException): boolean =>
  code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'EPIPE'

function failed(what: string, folder: string, text: string): Error {
  const error: NodeJS.ErrnoException = new Error(`${folder} could not be ${what}: ${text.trim()}`)
  if (/no space left|quota exceeded/i.test(text)) Object.assign(error, { code: 'ENOSPC', path: folder })
  return error
}

type Child = {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly end: Promise<{ readonly code: number | null; readonly text: string }>
  kill(): void
}

const longestText = 10_000

const start = (args: readonly string[], user: OperationUser): Child => startAs(user, ['tar', ...args])

function startAs(user: OperationUser, command: readonly [string, ...string[]]): Child {
  const { file, args: all, options } = commandAs(user, command)
  const child = spawn(file, all, { ...options, stdio: ['pipe', 'pipe', 'pipe'] })
  let text = ''
  child.stderr.on('data', (chunk: Buffer) => {
    if (text.length < longestText) text += chunk.toString('utf8')
  })
  // Told by the end.
  child.stdin.on('error', () => undefined)
  const end = new Promise<{ code: number | null; text: string }>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, text }))
  })
  return { stdin: child.stdin, stdout: child.stdout, end, kill: () => void child.kill('SIGKILL') }
}
