import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { OperationRecord } from '@tutti/engine'
import { parseJournalLine } from './journal-line.ts'
import type { OperationRequest } from './request.ts'
import { openWritten } from './written-file.ts'

/**
 * What an operation has said: lines in the file of its answer, before the answer (python/cloudify/answer.py). It costs
 * the operation one write and the worker nothing but the reading of the answer, where a request costs both more than all
 * the rest.
 */
export type Journal = {
  /** Tells what stands before the answer, in its text, and has not been told. Returns the answer. */
  take(text: string): Promise<string>
  /** Looks no more. Settles when all that was said is told. */
  end(): Promise<void>
}

const lookMs = 250
/** The SDK leaves off long before, and sends the rest to the manager. */
const mostBytes = 2 * 1024 * 1024

/** Tells what the operation says while it runs. */
export function followJournal(
  folder: string,
  { said, warn }: Pick<OperationRequest, 'said' | 'warn'>,
): Journal {
  let told = 0
  let readBytes = 0
  let seenMs = 0
  let isTaken = false
  let hasWarned = false
  let turn = Promise.resolve()

  function warnOnce(error: unknown, what: string): void {
    if (!hasWarned) warn(error, what)
    hasWarned = true
  }

  function tell(lines: readonly string[]): void {
    told += lines.length
    const records: OperationRecord[] = []
    for (const line of lines) {
      try {
        if (line !== '') records.push(parseJournalLine(line))
      } catch (error) {
        // Written by a script, or half written for want of room.
        warnOnce(error, 'what an operation has said cannot be read')
      }
    }
    if (records.length > 0) said(records)
  }

  async function look(name: string): Promise<void> {
    const file = join(folder, name)
    const { mtimeMs } = (await stat(file).catch(() => undefined)) ?? { mtimeMs: seenMs }
    if (mtimeMs === seenMs || readBytes >= mostBytes) return
    const written = await openWritten(file)
    if (written === null) return
    try {
      const buffer = Buffer.alloc(Math.max(0, Math.min(written.size, mostBytes) - readBytes))
      const { bytesRead } = await written.handle.read(buffer, 0, buffer.length, readBytes)
      // Behind what is written, room is kept for the answer.
      const end = buffer.subarray(0, bytesRead).indexOf(0)
      const lastLine = buffer.subarray(0, end === -1 ? bytesRead : end).lastIndexOf(newline)
      const lines = buffer
        .toString('utf8', 0, lastLine + 1)
        .split('\n')
        .slice(0, -1)
      const answer = lines.findIndex((line) => line.startsWith('{'))
      readBytes += lastLine + 1
      seenMs = mtimeMs
      tell(answer === -1 ? lines : lines.slice(0, answer))
    } finally {
      await written.handle.close()
    }
  }

  const ask = (name: string) => {
    turn = turn
      .then(() => look(name))
      .catch((error: unknown) => warnOnce(error, 'what an operation has said could not be read yet'))
    return turn
  }
  const timer = setInterval(() => void ask(unfinished), lookMs).unref()

  return {
    async take(text) {
      clearInterval(timer)
      await turn
      isTaken = true
      const lines: string[] = []
      let at = 0
      for (let end = text.indexOf('\n'); end !== -1 && text[at] !== '{'; end = text.indexOf('\n', at)) {
        lines.push(text.slice(at, end))
        at = end + 1
      }
      tell(lines.slice(told))
      return text.slice(at)
    },
    async end() {
      clearInterval(timer)
      await turn
      if (isTaken) return
      // Without an answer that counts.
      for (const name of [unfinished, 'output.json']) {
        seenMs = 0
        await ask(name)
      }
    },
  }
}

/** The request, until the operation has read it. */
const unfinished = 'input.json'
const newline = 10
