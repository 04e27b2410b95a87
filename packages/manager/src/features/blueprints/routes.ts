import { Readable } from 'node:stream'
import { ApiError } from '@tutti/api'
import { listAnswer } from '../../list-answer.ts'
import { type Handlers, tenantOf } from '../../request.ts'
import { rulesOf } from '../filters/index.ts'
import { readExecutionEnd } from './queries.ts'
import {
  changeBlueprint,
  downloadArchive,
  getBlueprint,
  listBlueprints,
  removeBlueprint,
  setBlueprintVisibility,
} from './service.ts'
import { checkUploaded, uploadBlueprint } from './upload.ts'

/** spec/rest-spec-a.md 4.2, spec/rest-facts-a.md 7 */
export const blueprintHandlers = {
  async 'blueprints.list'(request) {
    const rules = await rulesOf(request, 'blueprints', [request.list.filterId])
    return listAnswer(request.list, await listBlueprints(request, request.list, rules))
  },

  'blueprints.get': (request) => getBlueprint(request, request.params.blueprint_id, request.include),

  async 'blueprints.upload'(request) {
    const { blueprint_id: id } = request.params
    const { ends, settings } = request.services
    const { executionId, isAsync } = await uploadBlueprint(request, id, request.options, false)
    if (!isAsync) {
      await ends.wait(tenantOf(request).id, executionId, settings.waitMs)
      const { state, error } = await getBlueprint(request, id, ['state', 'error'])
      checkUploaded(id, { state: String(state), error: error === null ? null : String(error) })
    }
    return getBlueprint(request, id, request.include)
  },

  async 'blueprints.validate'(request) {
    const { blueprint_id: id } = request.params
    const { db, ends, settings } = request.services
    const { executionId } = await uploadBlueprint(request, id, request.options, true)
    await ends.wait(tenantOf(request).id, executionId, settings.waitMs)
    const { status, error } = await readExecutionEnd(db, tenantOf(request).id, executionId)
    if (status === 'terminated') return undefined
    throw new ApiError(
      'invalid_blueprint_error',
      status === 'failed' ? error : `The validation is ${status}`,
      {
        hint: `See execution ${executionId}`,
      },
    )
  },

  async 'blueprints.update'(request) {
    await changeBlueprint(request, request.params.blueprint_id, request.body)
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
