import { Readable } from 'node:stream'
import { followAudit, injectAudit, listAudit, truncateAudit } from '@tutti/domain/audit'
import { readJsonBody } from '../../http/json-body.ts'
import type { Handlers } from '../../request.ts'

/** docs/reference/audit.md, "Records" */
export const auditHandlers = {
  'audit.list': (request) => listAudit(request, request.options),

  async 'audit.stream'(request) {
    const { reply } = request
    const isOpen = () => !reply.raw.destroyed && reply.server.server.listening
    const records = await followAudit(request, request.options, isOpen)
    const lines = async function* () {
      // The client learns that it is let in before there is anything to read.
      reply.raw.flushHeaders()
      for await (const some of records) {
        yield some.map((record) => `${JSON.stringify(record)}\n\n`).join('')
      }
    }
    return reply.code(200).type('application/json').send(Readable.from(lines()))
  },

  async 'audit.inject'(request) {
    await injectAudit(request, await readJsonBody(request.raw, request.services.settings.maxBodyBytes))
  },

  'audit.truncate': (request) => truncateAudit(request, request.options),
} satisfies Partial<Handlers>
