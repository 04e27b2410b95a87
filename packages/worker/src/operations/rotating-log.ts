import { type FileHandle, open, readdir, rename, rm, stat, truncate } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/** `files` is how many there are of one log, the newest without a number. */
export type LogLimits = { readonly maxBytes: number; readonly files: number }

type Warn = (error: unknown, what: string) => void

type Kept = {
  readonly limits: LogLimits
  readonly warn: Warn
  /** Operations that write now. */
  users: number
  /** What is done with the file, one thing after the other. */
  turn: Promise<void>
  size: number
  /** Since when nobody wrote. */
  quietSince: number
  nextLook: number
}

const lookMs = 250
/** Daemons of operations that have ended may write on, mostly little. */
const idleLookMs = 30_000
const forgetMs = 3_600_000

const kept = new Map<string, Kept>()
let timer: NodeJS.Timeout | undefined

/**
 * Keeps a log that processes append to within its bounds, from now until none has written for an hour; operations that
 * share one may do so at once. Nobody can give them another file, so what they wrote is copied away and cut off.
 * The result is to be called when the operation has ended: then the bounds hold.
 */
export function keepBounded(file: string, limits: LogLimits, warn: Warn): () => Promise<void> {
  const entry = kept.get(file) ?? {
    limits,
    warn,
    users: 0,
    turn: Promise.resolve(),
    size: 0,
    quietSince: Date.now(),
    nextLook: 0,
  }
  kept.set(file, entry)
  entry.users += 1
  entry.nextLook = 0
  timer ??= setInterval(lookAtAll, lookMs).unref()
  return () => {
    entry.users -= 1
    return look(file, entry)
  }
}

function lookAtAll(): void {
  const now = Date.now()
  for (const [file, entry] of kept) {
    if (entry.nextLook > now) continue
    if (entry.users === 0 && now - entry.quietSince > forgetMs) kept.delete(file)
    else look(file, entry)
  }
  if (kept.size > 0) return
  clearInterval(timer)
  timer = undefined
}

function look(file: string, entry: Kept): Promise<void> {
  entry.nextLook = Number.POSITIVE_INFINITY
  entry.turn = entry.turn
    .then(async () => {
      const { size } = await stat(file)
      if (size !== entry.size) entry.quietSince = Date.now()
      entry.size = size
      if (size > entry.limits.maxBytes) await rotate(file, entry.limits)
    })
    // Not the operation's matter, and the next look tries again. The file may not be there yet, or no more.
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') entry.warn(error, `the log ${file} could not be kept within its bounds`)
    })
    .then(() => {
      entry.nextLook = Date.now() + (entry.users > 0 ? lookMs : idleLookMs)
    })
  return entry.turn
}

/** Moves what is in the file to FILE.1, and what is there one further. */
export async function rotate(file: string, { maxBytes, files }: LogLimits): Promise<void> {
  for (let number = files - 1; number > 1; number -= 1) {
    await rename(`${file}.${number - 1}`, `${file}.${number}`).catch(unlessMissing)
  }
  if (files > 1) {
    try {
      await copyEnd(file, `${file}.1`, maxBytes)
    } catch {
      // A full disk, as a rule: what is cut off makes room.
      await rm(`${file}.1`, { force: true })
    }
  }
  await truncate(file, 0)
}

/**
 * The last `maxBytes`, and up to a quarter more of what is appended meanwhile: writers may be faster than this. What is
 * left out is said.
 */
async function copyEnd(from: string, to: string, maxBytes: number): Promise<void> {
  const source = await open(from, 'r')
  try {
    const target = await open(to, 'w', 0o600)
    try {
      let end = (await source.stat()).size
      let at = Math.max(0, end - maxBytes)
      const limit = end + Math.floor(maxBytes / 4)
      if (at > 0) await target.write(leftOut(at))
      while (at < end) {
        await copyRange(source, target, at, end)
        at = end
        end = Math.min((await source.stat()).size, limit)
      }
      const rest = (await source.stat()).size - at
      if (rest > 0) await target.write(leftOut(rest))
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

const leftOut = (bytes: number) => `[… ${bytes} bytes of output are left out here …]\n`

async function copyRange(source: FileHandle, target: FileHandle, from: number, to: number): Promise<void> {
  const buffer = Buffer.alloc(Math.min(to - from, 1024 * 1024))
  for (let at = from; at < to; ) {
    const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.length, to - at), at)
    if (bytesRead === 0) return
    await target.write(buffer, 0, bytesRead)
    at += bytesRead
  }
}

/** The log with all its numbers. */
export async function removeLog(file: string): Promise<void> {
  kept.delete(file)
  const names = await readdir(dirname(file)).catch((error) => {
    unlessMissing(error)
    return []
  })
  const isOfIt = (name: string) =>
    name.startsWith(basename(file)) && /^(\.\d+)?$/.test(name.slice(basename(file).length))
  for (const name of names.filter(isOfIt)) await rm(join(dirname(file), name), { force: true })
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
