import { getSetting, listConfiguration, setSetting } from '@tutti/domain/config'
import type { Handlers } from '../../request.ts'

/** docs/reference/cluster-and-configuration.md, "Configuration" */
export const configHandlers = {
  'config.list': (request) => listConfiguration(request, request.options.scope),
  'config.get': (request) => getSetting(request, request.params.name),
  'config.set': (request) => setSetting(request, request.params.name, request.body),
} satisfies Partial<Handlers>
