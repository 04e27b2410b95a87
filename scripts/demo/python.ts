import { spawnSync } from 'node:child_process'

/** The example's scripts are Python. Asked first: a missing interpreter would look like a failed operation. */
export function requirePython(command: string): void {
  const { status } = spawnSync(command, ['-c', 'import sys; sys.exit(sys.version_info < (3, 8))'])
  if (status === 0) return
  throw new Error(
    `The demo needs Python 3.8 or newer, and \`${command}\` is not that. Install python3, or name it: ` +
      'TUTTI_PYTHON=/path/to/python3 npm run demo',
  )
}
