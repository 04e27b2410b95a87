import { Readable } from 'node:stream'
import { checkIdentifier } from '@tutti/api'
import { inTransaction, maxIconBytes, type ReceivedArchive } from '@tutti/domain'
import {
  changeBlueprint,
  downloadArchive,
  getBlueprint,
  listBlueprints,
  removeBlueprint,
  setBlueprintIcon,
  setBlueprintVisibility,
  uploadBlueprint,
  validateBlueprint,
} from '@tutti/domain/blueprints'
import { rulesOf } from '@tutti/domain/filters'
import { readBytes } from '../../http/body.ts'
import { receiveArchive } from '../../http/receive-archive.ts'
import type { Handlers, Request } from '../../request.ts'

/** docs/reference/blueprints.md */
export const blueprintHandlers = {
  async 'blueprints.list'(request) {
    const rules = await rulesOf(request, 'blueprints', [request.list.filterId])
    return listBlueprints(request, request.list, rules)
  },

  'blueprints.get': (request) => getBlueprint(request, request.params.blueprint_id, request.include),

  async 'blueprints.upload'(request) {
    const { blueprint_id: id } = request.params
    await withArchive(request, id, (archive) => uploadBlueprint(request, id, request.options, archive))
    return getBlueprint(request, request.params.blueprint_id, request.include)
  },

  'blueprints.validate'(request) {
    const { blueprint_id: id } = request.params
    return withArchive(request, id, (archive) => validateBlueprint(request, id, request.options, archive))
  },

  async 'blueprints.update'(request) {
    await inTransaction(request, (actor, transaction) =>
      changeBlueprint(actor, transaction, request.params.blueprint_id, request.body),
    )
    return getBlueprint(request, request.params.blueprint_id, request.include)
  },

  async 'blueprints.setIcon'(request) {
    const icon = await readBytes(request.raw, maxIconBytes, `An icon has no more than ${maxIconBytes} bytes`)
    await setBlueprintIcon(request, request.params.blueprint_id, icon.length === 0 ? undefined : icon)
    return getBlueprint(request, request.params.blueprint_id, request.include)
  },

  'blueprints.delete': (request) =>
    inTransaction(request, (actor, transaction) =>
      removeBlueprint(actor, transaction, request.params.blueprint_id, request.options.force ?? false),
    ),

  async 'blueprints.download'(request) {
    const { fileName, size, chunks } = await downloadArchive(request, request.params.blueprint_id)
    request.reply.headers({
      'content-type': 'application/octet-stream',
      'content-length': size,
      'content-disposition': request.attachment(fileName),
    })
    return request.reply.send(Readable.from(chunks, { objectMode: false }))
  },

  async 'blueprints.setVisibility'(request) {
    await inTransaction(request, (actor, transaction) =>
      setBlueprintVisibility(actor, transaction, request.params.blueprint_id, request.body.visibility),
    )
    return getBlueprint(request, request.params.blueprint_id, request.include)
  },

  async 'blueprints.setGlobal'(request) {
    await inTransaction(request, (actor, transaction) =>
      setBlueprintVisibility(actor, transaction, request.params.blueprint_id, 'global'),
    )
    return getBlueprint(request, request.params.blueprint_id, request.include)
  },
} satisfies Partial<Handlers>

async function withArchive<T>(
  request: Request,
  id: string,
  use: (archive: ReceivedArchive) => Promise<T>,
): Promise<T> {
  checkIdentifier('blueprint_id', id)
  const archive = await receiveArchive(request)
  try {
    return await use(archive)
  } finally {
    await archive.remove()
  }
}
