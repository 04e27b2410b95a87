import type { Handlers } from '../request.ts'
import { agentHandlers } from './agents/index.ts'
import { auditHandlers } from './audit/index.ts'
import { blueprintHandlers } from './blueprints/index.ts'
import { clusterHandlers } from './cluster/index.ts'
import { configHandlers } from './config/index.ts'
import { dependencyHandlers } from './dependencies/index.ts'
import { deploymentGroupHandlers } from './deployment-groups/index.ts'
import { deploymentHandlers } from './deployments/index.ts'
import { evaluationHandlers } from './evaluation/index.ts'
import { eventHandlers } from './events/index.ts'
import { executionGroupHandlers } from './execution-groups/index.ts'
import { executionHandlers } from './executions/index.ts'
import { filterHandlers } from './filters/index.ts'
import { labelHandlers } from './labels/index.ts'
import { ldapHandlers } from './ldap/index.ts'
import { licenseHandlers } from './license/index.ts'
import { maintenanceHandlers } from './maintenance/index.ts'
import { managerHandlers } from './manager/index.ts'
import { nodeInstanceHandlers } from './node-instances/index.ts'
import { nodeHandlers } from './nodes/index.ts'
import { operationHandlers } from './operations/index.ts'
import { permissionHandlers } from './permissions/index.ts'
import { resourceHandlers } from './resources/index.ts'
import { searchHandlers } from './searches/index.ts'
import { secretHandlers } from './secrets/index.ts'
import { secretsProviderHandlers } from './secrets-providers/index.ts'
import { siteHandlers } from './sites/index.ts'
import { summaryHandlers } from './summaries/index.ts'
import { tenantHandlers } from './tenants/index.ts'
import { tokenHandlers } from './tokens/index.ts'
import { userGroupHandlers } from './user-groups/index.ts'
import { userHandlers } from './users/index.ts'

/** Every endpoint that works; the compiler says when one of the route table is missing. */
export const handlers = {
  ...managerHandlers,
  ...configHandlers,
  ...clusterHandlers,
  ...maintenanceHandlers,
  ...licenseHandlers,
  ...auditHandlers,
  ...blueprintHandlers,
  ...deploymentHandlers,
  ...dependencyHandlers,
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
