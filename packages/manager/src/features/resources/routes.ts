import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join, normalize, sep } from 'node:path'
import { ApiError } from '@tutti/api'
import { unpackedArchive } from '@tutti/storage'
import type { Handlers } from '../../request.ts'
import { findArchiveOf } from './queries.ts'

export const resourceHandlers = {
  async 'resources.get'(request) {
    const path = request.params['*']
    const [kind, tenantName, id, ...rest] = path.split('/')
    const absent = new ApiError('not_found_error', `There is no resource ${path}: it was not found`)
    if ((kind !== 'deployments' && kind !== 'blueprints') || tenantName === undefined || id === undefined)
      throw absent
    const { db, settings } = request.services
    const sha256 = await findArchiveOf(db, kind, tenantName, id)
    if (sha256 === undefined) throw absent
    const folder = await unpackedArchive(db, sha256, join(settings.dataFolder, 'archives'), {
      maxBytes: settings.maxUnpackedBytes,
      maxEntries: settings.maxUnpackedEntries,
    })
    const file = normalize(join(folder, ...rest))
    if (!file.startsWith(folder + sep)) throw absent
    const found = await stat(file).catch(() => undefined)
    if (!found?.isFile()) throw absent
    request.reply.headers({ 'content-type': 'application/octet-stream', 'content-length': found.size })
    return request.reply.send(createReadStream(file))
  },
} satisfies Partial<Handlers>
