import { blueprintLabels, deploymentGroupLabels, deploymentLabels } from '@tutti/storage'
import type { Handlers } from '../../request.ts'
import { listLabels } from './service.ts'

/** docs/reference/sites-filters-labels.md, "Label keys and values" */
export const labelHandlers = {
  'labels.blueprints.keys': (request) => listLabels(request, blueprintLabels),
  'labels.blueprints.values': (request) => listLabels(request, blueprintLabels, request.params.label_key),

  'labels.deployments.keys': (request) => listLabels(request, deploymentLabels),
  'labels.deployments.values': (request) => listLabels(request, deploymentLabels, request.params.label_key),

  'labels.deploymentGroups.keys': (request) => listLabels(request, deploymentGroupLabels),
  'labels.deploymentGroups.values': (request) =>
    listLabels(request, deploymentGroupLabels, request.params.label_key),
} satisfies Partial<Handlers>
