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
