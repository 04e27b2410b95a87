import { pickIncluded } from '@tutti/api'
import { getProviderContext, setProviderContext, version } from '@tutti/domain/manager'
import type { Handlers } from '../../request.ts'

/** docs/reference/cluster-and-configuration.md, "Status" and "Provider context" */
export const managerHandlers = {
  'version.get': async ({ include }) => pickIncluded(version, include),

  'providerContext.get': async (request) => pickIncluded(await getProviderContext(request), request.include),

  async 'providerContext.set'(request) {
    const isUpdate = request.options.update ?? false
    await setProviderContext(request, request.body, isUpdate)
    // An update answers 200 where the route's own code is 201.
    if (isUpdate) return request.reply.code(200).send({ status: 'ok' })
    return { status: 'ok' }
  },
  async 'metrics.get'({ services: { metrics }, reply }) {
    return reply.type(metrics.contentType).send(await metrics.metrics())
  },
  // The answer is that the request came as far as here.
  'monitoring.authorize': async ({ reply }) => reply.code(200).send(),
} satisfies Partial<Handlers>
