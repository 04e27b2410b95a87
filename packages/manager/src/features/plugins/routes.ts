import { Readable } from 'node:stream'
import { inTransaction, wholeAnswer } from '@tutti/domain'
import {
  changePlugin,
  downloadFullArchive,
  downloadWagon,
  downloadYaml,
  getPlugin,
  installPlugin,
  listPlugins,
  removePlugin,
  setPluginState,
  setPluginVisibility,
  uploadPlugins,
} from '@tutti/domain/plugins'
import { receiveArchive } from '../../http/receive-archive.ts'
import type { Handlers, Request } from '../../request.ts'

/** docs/reference/plugins.md */
export const pluginHandlers = {
  'plugins.list': (request) => listPlugins(request, request.list),

  'plugins.get': (request) => getPlugin(request, request.params.plugin_id, request.include),

  async 'plugins.upload'(request) {
    const archive = await receiveArchive(request)
    try {
      const { isCaravan, ids } = await uploadPlugins(request, request.options, archive)
      const plugins = await Promise.all(ids.map((id) => getPlugin(request, id, request.include)))
      return isCaravan ? wholeAnswer(plugins.map(({ item }) => item)) : plugins[0]
    } finally {
      await archive.remove()
    }
  },

  async 'plugins.install'(request) {
    await inTransaction(request, (actor, transaction) =>
      installPlugin(actor, transaction, request.params.plugin_id, request.body),
    )
    return getPlugin(request, request.params.plugin_id, request.include)
  },

  async 'plugins.setState'(request) {
    await inTransaction(request, (actor, transaction) =>
      setPluginState(actor, transaction, request.params.plugin_id, request.body),
    )
    return getPlugin(request, request.params.plugin_id, request.include)
  },

  async 'plugins.update'(request) {
    await inTransaction(request, (actor, transaction) =>
      changePlugin(actor, transaction, request.params.plugin_id, request.body),
    )
    return getPlugin(request, request.params.plugin_id, request.include)
  },

  'plugins.delete': (request) =>
    inTransaction(request, (actor, transaction) =>
      removePlugin(
        actor,
        transaction,
        request.params.plugin_id,
        (request.options.force ?? false) || (request.body?.force ?? false),
      ),
    ),

  async 'plugins.download'(request) {
    const { plugin_id: id } = request.params
    const isFull = request.options.full_archive ?? false
    const { fileName, size, chunks } = await (isFull
      ? downloadFullArchive(request, id)
      : downloadWagon(request, id))
    return sendFile(request, fileName, size, Readable.from(chunks, { objectMode: false }))
  },

  async 'plugins.getYaml'(request) {
    const { fileName, content } = await downloadYaml(
      request,
      request.params.plugin_id,
      request.options.dsl_version,
    )
    return sendFile(request, fileName, content.length, Buffer.from(content))
  },

  async 'plugins.setVisibility'(request) {
    await inTransaction(request, (actor, transaction) =>
      setPluginVisibility(actor, transaction, request.params.plugin_id, request.body.visibility),
    )
    return getPlugin(request, request.params.plugin_id, request.include)
  },

  async 'plugins.setGlobal'(request) {
    await inTransaction(request, (actor, transaction) =>
      setPluginVisibility(actor, transaction, request.params.plugin_id, 'global'),
    )
    return getPlugin(request, request.params.plugin_id, request.include)
  },
} satisfies Partial<Handlers>

function sendFile(request: Request, fileName: string, size: number, content: Readable | Buffer) {
  request.reply.headers({
    'content-type': 'application/octet-stream',
    'content-length': size,
    'content-disposition': request.attachment(fileName),
  })
  return request.reply.send(content)
}
