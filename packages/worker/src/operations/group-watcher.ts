import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'

/**
 * Reads `+ GROUP` and `- GROUP`, and kills the groups that it holds, and all others of their sessions (session.ts), when
 * its standard input ends: then this process is gone, however it went. Neither a pattern that keeps Python's interpreter lock nor the death of an operation's
 * launcher keeps it from that. `sh -c`, so that its command line is none that somebody would kill workers by.
 */
const script = `
trap '' HUP INT TERM
groups=' '
while read -r what group; do
  case $what in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
left=100
while [ "$left" -gt 0 ]; do
  left=$((left - 1)) found=
  for stat in /proc/[0-9]*/stat; do
    text=
    while read -r line || [ -n "$line" ]; do text="$text $line"; done <"$stat"
    set -- \${text##*) }
    case "$1 $groups" in
      [ZX]*|' '*) ;;
      *" $4 "*) kill -s KILL -- "-$3" && found=1 ;;
    esac
  done
  [ -n "$found" ] || left=0
done
`

export type GroupWatcher = {
  /** From now on this group dies with this process. */
  watch(group: number): void
  /** What is left of it may outlive this process. */
  release(group: number): void
}

/** One small process for all groups of this one, started with the first of them; it ends with this process. */
export function createGroupWatcher(): GroupWatcher {
  const watched = new Set<number>()
  let watcher: ChildProcess | undefined

  // A line is written before write() returns: the pipe has room for thousands.
  const say = (line: string) => watcher?.stdin?.write(`${line}\n`)

  function start(): void {
    const child = spawn('/bin/sh', ['-c', script], {
      cwd: '/',
      env: {},
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    watcher = child
    const gone = () => {
      if (watcher !== child) return
      watcher = undefined
      if (watched.size > 0 && child.pid !== undefined) start()
    }
    child.once('error', gone)
    child.once('exit', gone)
    child.stdin.on('error', () => {}) // it was killed, and `exit` says so
    child.unref()
    ;(child.stdin as Socket).unref()
    for (const group of watched) say(`+ ${group}`)
  }

  return {
    watch(group) {
      watched.add(group)
      if (watcher === undefined) start()
      else say(`+ ${group}`)
    },
    release(group) {
      if (watched.delete(group)) say(`- ${group}`)
    },
  }
}
