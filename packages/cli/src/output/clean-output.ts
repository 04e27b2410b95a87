import type { Environment, Output } from '../environment.ts'

/** What we write ourselves: the colours of `style.ts`, and the status line that is written over. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is meant
const ours = /\u001b\[(?:0|1|22|31|32|33|36|39|90)m|\r\u001b\[2K/g

/** Sequences that steer a terminal, whole; then what is left of control characters, and what turns text around. */
const sequence =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get out
  /(?:\u001b\]|\u009d)[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|(?:\u001b[PX^_]|[\u0090\u0098\u009e\u009f])[^\u001b\u009c]*(?:\u001b\\|\u009c)?|(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|\u001b[ -/]*[0-~]?/g
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get out
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

const cleaned = (text: string): string => text.replace(sequence, '').replace(control, '')

/**
 * Names, values and messages come from blueprints, operations and other users: nothing of them may steer the terminal of
 * whoever looks at them, wherever they are shown. All that a command writes goes through here.
 */
export function cleanText(text: string): string {
  let clean = ''
  let end = 0
  for (const { 0: own, index } of text.matchAll(ours)) {
    clean += cleaned(text.slice(end, index)) + own
    end = index + own.length
  }
  return clean + cleaned(text.slice(end))
}

/** The same environment, whose output is clean. */
export const withCleanOutput = (environment: Environment): Environment => ({
  ...environment,
  stdout: cleanOutput(environment.stdout),
  stderr: cleanOutput(environment.stderr),
})

const cleanOutput = (output: Output): Output => ({
  write: (text) => output.write(cleanText(text)),
  isTerminal: output.isTerminal,
  get columns() {
    return output.columns
  },
})
