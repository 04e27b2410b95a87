import type { Handlers } from '../request.ts'
import { agentHandlers } from './agents/routes.ts'
import { auditHandlers } from './audit/routes.ts'
import { blueprintHandlers } from './blueprints/routes.ts'
import { clusterHandlers } from './cluster/routes.ts'
import { configHandlers } from './config/routes.ts'
import { deploymentGroupHandlers } from './deployment-groups/routes.ts'
import { deploymentModificationHandlers } from './deployment-modifications/routes.ts'
import { deploymentUpdateHandlers } from './deployment-updates/routes.ts'
import { deploymentHandlers } from './deployments/routes.ts'
import { evaluationHandlers } from './evaluation/routes.ts'
import { eventHandlers } from './events/routes.ts'
import { executionGroupHandlers } from './execution-groups/routes.ts'
import { executionHandlers } from './executions/routes.ts'
import { filterHandlers } from './filters/routes.ts'
import { dependencyHandlers } from './inter-deployment-dependencies/routes.ts'
import { labelHandlers } from './labels/routes.ts'
import { ldapHandlers } from './ldap/routes.ts'
import { licenseHandlers } from './license/routes.ts'
import { maintenanceHandlers } from './maintenance/routes.ts'
import { managerHandlers } from './manager/routes.ts'
import { nodeInstanceHandlers } from './node-instances/routes.ts'
import { nodeHandlers } from './nodes/routes.ts'
import { operationHandlers } from './operations/routes.ts'
import { permissionHandlers } from './permissions/routes.ts'
import { pluginHandlers } from './plugins/routes.ts'
import { resourceHandlers } from './resources/routes.ts'
import { searchHandlers } from './searches/routes.ts'
import { secretHandlers } from './secrets/routes.ts'
import { secretsProviderHandlers } from './secrets-providers/routes.ts'
import { siteHandlers } from './sites/routes.ts'
import { summaryHandlers } from './summaries/routes.ts'
import { tenantHandlers } from './tenants/routes.ts'
import { tokenHandlers } from './tokens/routes.ts'
import { userGroupHandlers } from './user-groups/routes.ts'
import { userHandlers } from './users/routes.ts'

/** Every endpoint that works; the compiler says when one of the route table is missing. */
export const handlers = {
  ...managerHandlers,
  ...configHandlers,
  ...clusterHandlers,
  ...maintenanceHandlers,
  ...licenseHandlers,
  ...auditHandlers,
  ...blueprintHandlers,
  ...pluginHandlers,
  ...deploymentHandlers,
  ...dependencyHandlers,
  ...deploymentModificationHandlers,
  ...deploymentUpdateHandlers,
  ...executionHandlers,
  ...deploymentGroupHandlers,
  ...executionGroupHandlers,
  ...eventHandlers,
  ...evaluationHandlers,
  ...nodeHandlers,
  ...agentHandlers,
  ...nodeInstanceHandlers,
  ...operationHandlers,
  ...tenantHandlers,
  ...userHandlers,
  ...ldapHandlers,
  ...userGroupHandlers,
  ...permissionHandlers,
  ...tokenHandlers,
  ...resourceHandlers,
  ...siteHandlers,
  ...labelHandlers,
  ...filterHandlers,
  ...searchHandlers,
  ...summaryHandlers,
  ...secretHandlers,
  ...secretsProviderHandlers,
} satisfies Handlers
