import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { markVariable } from './session.ts'

/** What is watched: a leader is a child of this process, or else 0 for what is known by its mark alone. */
export type Watched = { readonly leader: number; readonly mark: string }

/**
 * Reads `+ LEADER MARK` and `- LEADER MARK`, and kills all that those which it holds have started (session.ts, as which
 * it finds them), when its standard input ends: then this process is gone, however it went. Neither a pattern that keeps
 * Python's interpreter lock nor the death of an operation's launcher keeps it from that. `sh -c`, so that its command
 * line is none that somebody would kill workers by.
 */
const script = `
trap '' HUP INT TERM
leaders=' ' marks=' '
while read -r what leader mark; do
  case $what in
    +) marks="$marks$mark " ;;
    -) marks="\${marks%% $mark *} \${marks#* $mark }" ;;
  esac
  case $what$leader in
    ?0) ;;
    +*) leaders="$leaders$leader " ;;
    -*) leaders="\${leaders%% $leader *} \${leaders#* $leader }" ;;
  esac
done
case $leaders$marks in *[0-9a-f]*) left=100 ;; *) left=0 ;; esac
marks=$(printf '${markVariable}=%s\\n' $marks)
groups=$leaders
while [ "$left" -gt 0 ]; do
  left=$((left - 1)) sessions=$leaders pids=' ' seen=' ' found=1
  for file in $(grep -lsF -e "$marks" /proc/[0-9]*/environ); do
    pid=\${file#/proc/} pids="$pids\${pid%/environ} "
  done
  while [ -n "$found" ]; do
    found=
    for file in /proc/[0-9]*/stat; do
      pid=\${file#/proc/} pid=\${pid%/stat} text=
      case $seen in *" $pid "*) continue ;; esac
      while read -r line || [ -n "$line" ]; do text="$text $line"; done <"$file"
      set -- \${text##*) }
      case $1,$3 in [ZX]*|,*|*,[01]) continue ;; esac
      case $sessions,$pids in
        *" $4 "*,*|*,*" $pid "*|*,*" $2 "*) ;;
        *) continue ;;
      esac
      sessions="$sessions$4 " pids="$pids$pid " seen="$seen$pid " groups="$groups$3 " found=1
    done
  done
  killed=
  for group in $groups; do kill -s KILL -- "-$group" && killed=1; done
  groups=
  [ -n "$killed" ] || left=0
done
`

export type GroupWatcher = {
  /** From now on all of it dies with this process. */
  watch(watched: Watched): void
  /** What is left of it may outlive this process. */
  release(watched: Watched): void
}

/** One small process for all operations of this one, started with the first of them; it ends with this process. */
export function createGroupWatcher(): GroupWatcher {
  const watched = new Map<string, Watched>()
  let running: ChildProcess | undefined

  // A line is written before write() returns: the pipe has room for thousands.
  const say = (line: string) => running?.stdin?.write(`${line}\n`)

  function start(): void {
    const child = spawn('/bin/sh', ['-c', script], {
      cwd: '/',
      env: {},
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    running = child
    const gone = () => {
      if (running !== child) return
      running = undefined
      if (watched.size > 0 && child.pid !== undefined) start()
    }
    child.once('error', gone)
    child.once('exit', gone)
    child.stdin.on('error', () => {}) // it was killed, and `exit` says so
    child.unref()
    ;(child.stdin as Socket).unref()
    for (const { leader, mark } of watched.values()) say(`+ ${leader} ${mark}`)
  }

  return {
    watch(one) {
      watched.set(one.mark, one)
      if (running === undefined) start()
      else say(`+ ${one.leader} ${one.mark}`)
    },
    release({ leader, mark }) {
      if (watched.delete(mark)) say(`- ${leader} ${mark}`)
    },
  }
}

/** This process's. */
export const watcher = createGroupWatcher()
