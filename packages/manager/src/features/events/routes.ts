import { listAnswer } from '../../list-answer.ts'
import type { Handlers } from '../../request.ts'
import { createEvents, listEvents, removeEvents } from './service.ts'

/** spec/rest-spec-a.md 4.7 and 6, spec/rest-facts-a.md 16 */
export const eventHandlers = {
  'events.list': async (request) => listAnswer(request.list, await listEvents(request, request.list)),

  // Answered with `null`, or with 204 when there was nothing to record.
  'events.create': async (request) => ((await createEvents(request, request.body)) ? null : undefined),

  async 'events.delete'(request) {
    const count = await removeEvents(request, request.list, request.options.store_before ?? false)
    return {
      items: [count],
      metadata: { pagination: { total: 1, offset: 0, size: 1 }, filtered: null },
    }
  },
} satisfies Partial<Handlers>
