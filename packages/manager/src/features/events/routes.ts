import { wholeAnswer } from '@tutti/domain'
import { createEvents, listEvents, removeEvents } from '@tutti/domain/events'
import type { Handlers } from '../../request.ts'

/** docs/reference/events.md */
export const eventHandlers = {
  'events.list': (request) => listEvents(request, request.list),

  // Answered with `null`, or with 204 when there was nothing to record.
  'events.create': async (request) => ((await createEvents(request, request.body)) ? null : undefined),

  async 'events.delete'(request) {
    return wholeAnswer([await removeEvents(request, request.list, request.options.store_before ?? false)])
  },
} satisfies Partial<Handlers>
