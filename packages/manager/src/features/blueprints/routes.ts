import { Readable } from 'node:stream'
import type { Handlers } from '../../request.ts'
import { rulesOf } from '../filters/index.ts'
import {
  changeBlueprint,
  downloadArchive,
  getBlueprint,
  listBlueprints,
  removeBlueprint,
  setBlueprintVisibility,
} from './service.ts'
import { setBlueprintIcon } from './set-icon.ts'
import { uploadBlueprint, validateBlueprint } from './upload.ts'

/** docs/reference/blueprints.md */
export const blueprintHandlers = {
  async 'blueprints.list'(request) {
    const rules = await rulesOf(request, 'blueprints', [request.list.filterId])
    return listBlueprints(request, request.list, rules)
  },

  'blueprints.get': (request) => getBlueprint(request, request.params.blueprint_id, request.include),

  async 'blueprints.upload'(request) {
    await uploadBlueprint(request, request.params.blueprint_id, request.options)
    return getBlueprint(request, request.params.blueprint_id, request.include)
  },

  'blueprints.validate': (request) =>
    validateBlueprint(request, request.params.blueprint_id, request.options),

  async 'blueprints.update'(request) {
    await changeBlueprint(request, request.params.blueprint_id, request.body)
    return getBlueprint(request, request.params.blueprint_id, request.include)
  },

  async 'blueprints.setIcon'(request) {
    await setBlueprintIcon(request, request.params.blueprint_id)
    return getBlueprint(request, request.params.blueprint_id, request.include)
  },

  'blueprints.delete': (request) =>
    removeBlueprint(request, request.params.blueprint_id, request.options.force ?? false),

  async 'blueprints.download'(request) {
    const chunks = await downloadArchive(request, request.params.blueprint_id)
    return request.reply.send(Readable.from(chunks, { objectMode: false }))
  },

  async 'blueprints.setVisibility'(request) {
    await setBlueprintVisibility(request, request.params.blueprint_id, request.body.visibility)
    return getBlueprint(request, request.params.blueprint_id, request.include)
  },

  async 'blueprints.setGlobal'(request) {
    await setBlueprintVisibility(request, request.params.blueprint_id, 'global')
    return getBlueprint(request, request.params.blueprint_id, request.include)
  },
} satisfies Partial<Handlers>
