import { execFile } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** Makes `tutti` a command of this folder. */
export async function installCommand(folder: string): Promise<void> {
  const file = join(folder, 'tutti')
  await writeFile(file, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
  await chmod(file, 0o755)
}

/** What a shell writes when it runs a script, with `tutti` in its path. */
export function inShell(
  command: readonly [string, ...string[]],
  script: string,
  folder: string,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const [shell, ...args] = command
  const env = { ...variables, HOME: folder, PATH: `${folder}:${process.env.PATH}` }
  return new Promise((resolve, reject) => {
    execFile(shell, [...args, script], { cwd: folder, env }, (error, stdout, stderr) => {
      if (error !== null) reject(new Error(`${error.message}\n${stderr}`))
      else resolve(`${stderr}${stdout}`)
    })
  })
}
