import { readdirSync, readFileSync } from 'node:fs'
import type { OperationUser } from './operation-user.ts'

/** What an operation has started: by its leader, and by a mark in the environment of all of it. */
export type Started = {
  /** Null: known by the mark alone. */
  readonly leader: number | null
  readonly mark: string
  /**
   * Whose it is, if operations have users of their own. Nobody else's is taken for it: a warm parent is a process of
   * that user's, which others of that user may have brought to name any leader.
   */
  readonly user: OperationUser
}

/** The variable that holds an operation's mark. */
export const markVariable = 'TUTTI_OPERATION'

/**
 * The process groups of an operation that have living members. Most of what it starts stays in its session, although
 * much of it is in groups of its own: `timeout` makes one for its command, and so does a shell with `set -m`. What moved
 * to another session (`setsid`) is known by the mark that it inherited, and what was given another environment by its
 * parent. Only what does both, and whose parent has ended, is lost. Only the group of the leader where the system has
 * no /proc.
 */
export function groupsOf({ leader, mark, user }: Started): readonly number[] {
  if (!hasProc) return leader === null ? [] : [leader]
  const sessions = new Set(leader === null ? [] : [leader])
  const [members, groups] = [new Set<number>(), new Set<number>()]
  const assignment = `${markVariable}=${mark}`
  let others = livingProcesses()
  for (let known = -1; known !== members.size; ) {
    known = members.size
    const isOfIt = ({ pid, parent, session }: Process) =>
      (sessions.has(session) || members.has(parent) || (known === 0 && isMarked(pid, assignment))) &&
      (user === null || userOf(pid) === user)
    for (const one of others.filter(isOfIt)) {
      members.add(one.pid)
      sessions.add(one.session)
      groups.add(one.group)
    }
    others = others.filter(({ pid }) => !members.has(pid))
  }
  return [...groups]
}

/** The first process of an operation that is known by its mark alone: it leads its session. */
export function leaderOf(mark: string): number | null {
  const leaders = livingProcesses().filter(
    ({ pid, session }) => pid === session && isMarked(pid, `${markVariable}=${mark}`),
  )
  leaders.sort((one, other) => one.startedAt - other.startedAt)
  return leaders[0]?.pid ?? null
}

/** When a process was started, which tells it from a later one of the same number; null when it has ended. */
export function startOf(pid: number): number | null {
  const stat = statOf(String(pid))
  return stat[0] === undefined || stat[0] === 'Z' || stat[0] === 'X' ? null : Number(stat[startField])
}

/** Of what `statOf` gives, which begins with the third field of proc(5); this is the 22nd. */
const startField = 19

type Process = {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  readonly startedAt: number
}

const hasProc = statOf('self').length > 1

function livingProcesses(): readonly Process[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d/.test(name)) return []
    const stat = statOf(name)
    const [state, parent, group, session] = stat
    // Group 0 is one of another name space, and to be told by no number.
    if (state === undefined || state === 'Z' || state === 'X' || Number(group) <= 1) return []
    return [
      {
        pid: Number(name),
        parent: Number(parent),
        group: Number(group),
        session: Number(session),
        startedAt: Number(stat[startField]),
      },
    ]
  })
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

function userOf(pid: number): number | undefined {
  try {
    return Number(/^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return undefined // it has ended
  }
}

function isMarked(pid: number, assignment: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(assignment)
  } catch {
    return false // it has ended, or is another user's
  }
}
