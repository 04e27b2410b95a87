import { type StartProcess, startCold } from '../src/operations/index.ts'
import { createParents, startWarm } from '../src/operations/warm/index.ts'

const events = {
  onFork() {},
  onLost() {},
  onFailure() {},
}

export const warmly: StartProcess = startWarm(createParents(events), events)

/** Both ways in which an operation's process is started. What holds for one holds for the other. */
export const ways: readonly (readonly ['warm' | 'cold', StartProcess])[] = [
  ['warm', warmly],
  ['cold', startCold],
]
