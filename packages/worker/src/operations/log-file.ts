import { createHash } from 'node:crypto'
import { join } from 'node:path'

/** Room for `.log`, and for the numbers of older ones. */
const longestId = 230

/**
 * Where the output of a deployment's operations goes. Ids hold no characters that could leave the folder, but may be
 * longer than a name of a file can be.
 */
export function logFileOf(logFolder: string, tenantId: number, deploymentId: string | null): string {
  if (deploymentId === null) return join(logFolder, '__system__.log')
  const name =
    deploymentId.length <= longestId
      ? deploymentId
      : `${deploymentId.slice(0, longestId - 65)}-${createHash('sha256').update(deploymentId).digest('hex')}`
  return join(logFolder, String(tenantId), `${name}.log`)
}
