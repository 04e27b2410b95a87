import type { ListQuery, SummarisedResource } from '@tutti/api'
import { unfilteredAnswer } from '@tutti/domain'
import { type SummaryOptions, summaryOf } from '@tutti/domain/summaries'
import type { Handlers, Request } from '../../request.ts'

type SummaryRequest = Request & { readonly list: ListQuery; readonly options: SummaryOptions }

const handlerFor = (name: SummarisedResource) => async (request: SummaryRequest) =>
  unfilteredAnswer(request.list, await summaryOf(request, name, request.list, request.options))

/** docs/reference/searches-and-summaries.md, "Summaries" */
export const summaryHandlers = {
  'summaries.blueprints': handlerFor('blueprints'),
  'summaries.deployments': handlerFor('deployments'),
  'summaries.executions': handlerFor('executions'),
  'summaries.nodes': handlerFor('nodes'),
  'summaries.nodeInstances': handlerFor('node_instances'),
} satisfies Partial<Handlers>
