import { createReadStream } from 'node:fs'
import { basename } from 'node:path'
import { authorizeResource, readResource } from '@tutti/domain/resources'
import type { Handlers } from '../../request.ts'

/** The file server, docs/reference/access.md, "The file server" */
export const resourceHandlers = {
  async 'resources.get'(request) {
    const resource = await readResource(request, request.params['*'])
    if (resource.type === 'directory') return { files: resource.files }
    const [name, size, stream] =
      resource.type === 'archive'
        ? [resource.name, resource.content.size, resource.content.chunks]
        : [basename(resource.path), resource.size, createReadStream(resource.path)]
    // Consoles show icons as they come; what is no image is not shown, as its type may not be guessed.
    request.reply.headers({
      'content-type': name.endsWith('.png') ? 'image/png' : 'application/octet-stream',
      'content-length': size,
      'content-disposition': `attachment; filename*=UTF-8''${encoded(name)}`,
    })
    return request.reply.send(stream)
  },

  async 'resources.authorize'(request) {
    const header = (name: string) => request.raw.headers[name]?.toString()
    await authorizeResource(request, {
      uri: header('x-original-uri'),
      method: header('x-original-method') ?? 'GET',
    })
    return request.reply.code(200).send()
  },
} satisfies Partial<Handlers>

/** Names are the blueprint author's: any character, in the form of RFC 8187. */
function encoded(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  )
}
