import type { Handlers } from '../../request.ts'
import { getSetting, listConfiguration, setSetting } from './service.ts'

/** spec/rest-facts-b.md 12 */
export const configHandlers = {
  'config.list': (request) => listConfiguration(request, request.options.scope),
  'config.get': (request) => getSetting(request, request.params.name),
  'config.set': (request) => setSetting(request, request.params.name, request.body),
} satisfies Partial<Handlers>
