import { homedir } from 'node:os'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import type { Environment, Output } from './environment.ts'

/** The environment of this process. */
export function processEnvironment(): Environment {
  const controller = new AbortController()
  let isListening = false
  return {
    variables: process.env,
    home: homedir(),
    isRoot: process.getuid?.() === 0,
    workingFolder: process.cwd(),
    stdout: outputOf(process.stdout),
    stderr: outputOf(process.stderr),
    fetch: globalThis.fetch,
    wait: async (timeMs, signal) => {
      await setTimeout(timeMs, undefined, signal === undefined ? {} : { signal })
    },
    now: () => new Date(),
    askSecret: process.stdin.isTTY && process.stderr.isTTY ? askSecret : undefined,
    readInput: () => text(process.stdin),
    interruption: () => {
      if (!isListening) listen(controller)
      isListening = true
      return controller.signal
    },
  }
}

function outputOf(stream: NodeJS.WriteStream): Output {
  // `tutti … | head` closes the pipe when it has seen enough: nothing is left to say or to whom.
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(0)
  })
  return {
    write: (text) => void stream.write(text),
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.isTTY === true ? stream.columns : undefined
    },
  }
}

/**
 * One Ctrl-C arrives several times: from the terminal, and again from `npm run` and scripts/with-node.mjs, which pass
 * on what they get.
 */
const samePressMs = 500

/** The first signal asks; whoever sends a second one does not want to wait any longer. */
function listen(controller: AbortController): void {
  const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const
  let firstMs = Number.POSITIVE_INFINITY
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      const nowMs = performance.now()
      firstMs = Math.min(firstMs, nowMs)
      if (nowMs - firstMs > samePressMs) process.exit(exitCodes[signal])
      controller.abort(new Error(`interrupted by ${signal}`))
    })
  }
}

async function askSecret(question: string): Promise<string> {
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    return await new Promise((resolve, reject) => {
      lines.once('SIGINT', () => reject(new Error('Interrupted: nothing was changed')))
      lines.once('close', () => resolve(''))
      lines.question('', resolve)
    })
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}
