import type { ServerParts } from './parts.ts'

const absent = (part: string) => async () => {
  throw new Error(
    `This build of Tutti has no ${part}: compose it in packages/cli/src/serve/installed-parts.ts`,
  )
}

/** The parts that this installation has. */
export const installedParts: ServerParts = {
  openStore: absent('store'),
  startManager: absent('manager'),
  startWorker: absent('worker'),
}
