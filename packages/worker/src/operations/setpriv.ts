import { accessSync, constants } from 'node:fs'

/** By absolute paths: an operation's own PATH may lead to another command of that name. */
const places = ['/usr/bin/setpriv', '/bin/setpriv', '/usr/local/bin/setpriv']

/** The command that starts another which can gain no privileges, not by setuid programs either. */
export function setprivCommand(): string | undefined {
  return places.find((place) => {
    try {
      accessSync(place, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** @throws Error when the machine has no setpriv */
export function withoutNewPrivileges(command: readonly string[]): [string, ...string[]] {
  const setpriv = setprivCommand()
  if (setpriv === undefined) throw new Error('there is no setpriv, which --operation-users needs')
  return [setpriv, '--nnp', ...command]
}
