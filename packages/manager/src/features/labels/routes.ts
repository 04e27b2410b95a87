import { listLabels } from '@tutti/domain/labels'
import { blueprintLabels, deploymentGroupLabels, deploymentLabels } from '@tutti/storage'
import type { Handlers } from '../../request.ts'

/** docs/reference/sites-filters-labels.md, "Label keys and values" */
export const labelHandlers = {
  'labels.blueprints.keys': (request) => listLabels(request, request.query, blueprintLabels),
  'labels.blueprints.values': (request) =>
    listLabels(request, request.query, blueprintLabels, request.params.label_key),

  'labels.deployments.keys': (request) => listLabels(request, request.query, deploymentLabels),
  'labels.deployments.values': (request) =>
    listLabels(request, request.query, deploymentLabels, request.params.label_key),

  'labels.deploymentGroups.keys': (request) => listLabels(request, request.query, deploymentGroupLabels),
  'labels.deploymentGroups.values': (request) =>
    listLabels(request, request.query, deploymentGroupLabels, request.params.label_key),
} satisfies Partial<Handlers>
