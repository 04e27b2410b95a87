import { readdirSync, readFileSync } from 'node:fs'

/**
 * The process groups of a session that have living members. What an operation starts stays in its session, although
 * much of it is in groups of its own: `timeout` makes one for its command, and so does a shell with `set -m`. Only the
 * group of the leader where the system has no /proc.
 */
export function groupsOf(session: number): readonly number[] {
  const groups = new Set<number>()
  for (const name of processes()) {
    const [state, , group, of] = statOf(name)
    if (Number(of) === session && state !== 'Z' && state !== 'X') groups.add(Number(group))
  }
  return groups.size > 0 || hasProc ? [...groups] : [session]
}

const hasProc = statOf('self').length > 1

function processes(): string[] {
  return hasProc ? readdirSync('/proc').filter((name) => /^\d/.test(name)) : []
}

/** What follows the name of the program, which may itself have any characters. */
function statOf(name: string): string[] {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(') ') + 2).split(' ')
  } catch {
    return [] // it has ended
  }
}
