import { afterAll, beforeAll, expect, test } from 'vitest'
import { addBlueprint, addDeployment, addExecution, addTenant, addUser } from '../../test/fixtures.ts'
import { startTestManager, type TestManager, type TestRequest } from '../../test/test-manager.ts'

/** What clients and their scripts match on, word for word; a text in `…` stands for whatever is there. */

let manager: TestManager
const ids: Record<string, string> = {}
const install = {
  plugin: 'default_workflows',
  operation: 'cloudify.plugins.workflows.install',
  parameters: {},
  is_cascading: false,
  availability_rules: null,
}

beforeAll(async () => {
  manager = await startTestManager()
  const { db, inject } = manager
  await addTenant(db, 'other')
  await addUser(db, 'alice', { tenants: { 0: 'user' } })
  await addUser(db, 'viewer1', { tenants: { 0: 'viewer' } })
  await addBlueprint(db, 'bp')
  await addDeployment(db, 'd', {
    blueprintId: 'bp',
    nodes: [{ id: 'n', instances: [{ id: 'n_1', state: 'started' }] }],
  })
  await addDeployment(db, 'parent', { blueprintId: 'bp' })
  await addDeployment(db, 'child', { blueprintId: 'bp' })
  await addDeployment(db, 'busy', { blueprintId: 'bp' })
  await db
    .updateTable('deployments')
    .set({ workflows: JSON.stringify({ install }) })
    .execute()
  await db
    .insertInto('blueprints')
    .values({ tenant_id: 0, id: 'half', state: 'parsing', created_by: 'admin' })
    .execute()
  await inject('PATCH', '/deployments/child', { body: { labels: [{ 'csys-obj-parent': 'parent' }] } })
  ids.ended = (await addExecution(db, { deploymentId: 'd', status: 'terminated' })).id
  await addExecution(db, { deploymentId: 'busy', status: 'started' })
  await inject('PUT', '/sites/site1', { body: {} })
  await inject('PUT', '/sites/site2', { body: {} })
  await inject('PUT', '/sites/wide', { body: { visibility: 'global' } })
  await inject('PUT', '/secrets/shaped', { body: { value: { a: 1 }, schema: { type: 'object' } } })
  await inject('PUT', '/filters/deployments/mine', { body: { filter_rules: [] } })
  await inject('PUT', '/deployments/inter-deployment-dependencies', {
    body: { dependency_creator: 'x', source_deployment: 'd', target_deployment: 'parent' },
  })
  await inject('PUT', '/deployment-groups/g', { body: {} })
})
afterAll(() => manager.close())

const bad = 'bad_parameters_error'
const gone = 'not_found_error'
const conflict = 'conflict_error'
const illegal = 'illegal_action_error'
const forbidden = 'forbidden_error'
const dependent = 'dependent_exists_error'

type Case = readonly [
  request: string,
  body: unknown,
  status: number,
  code: string,
  message: string,
  as?: TestRequest,
]
const rule = (given: object) => ({
  filter_rules: [{ type: 'label', key: 'k', operator: 'any_of', values: ['v'], ...given }],
})
const start = (given: object) => ({ deployment_id: 'd', workflow_id: 'install', ...given })
const deployment = (given: object) => ({ blueprint_id: 'bp', ...given })
const labels = (...given: unknown[]) => ({ labels: given })
const long = 'x'.repeat(257)
const notLabels = 'Labels must be a list of 1-entry dictionaries…'
const notLetters = 'argument contains illegal characters…'
const tooLong = 'argument is too long. Maximum allowed length is 256 characters'

const everywhere: readonly Case[] = [
  ['GET /deployments/nope', undefined, 404, gone, 'Requested `Deployment` with ID `nope` was not found'],
  ['GET /blueprints/nope', undefined, 404, gone, 'Requested `Blueprint` with ID `nope` was not found'],
  ['GET /executions/nope', undefined, 404, gone, 'Requested `Execution` with ID `nope` was not found'],
  ['GET /sites/nope', undefined, 404, gone, 'Requested `Site` with ID `nope` was not found'],
  ['GET /secrets/nope', undefined, 404, gone, 'Requested `Secret` with ID `nope` was not found'],
  [
    'GET /deployment-groups/nope',
    undefined,
    404,
    gone,
    'Requested `DeploymentGroup` with ID `nope` was not found',
  ],
  [
    'GET /filters/deployments/nope',
    undefined,
    404,
    gone,
    'Requested `DeploymentsFilter` with ID `nope` was not found',
  ],
  [
    'GET /filters/blueprints/nope',
    undefined,
    404,
    gone,
    'Requested `BlueprintsFilter` with ID `nope` was not found',
  ],
  ['GET /node-instances/nope', undefined, 404, gone, 'Requested `NodeInstance` with ID `nope` was not found'],
  [
    'GET /blueprints?_include=nope',
    undefined,
    400,
    'no_such_include_field_error',
    "Include keys '['nope']' do not exist. Allowed keys are: ['id', …",
  ],
  [
    'GET /blueprints?_sort=nope',
    undefined,
    400,
    bad,
    "Sort keys '['nope']' do not exist. Allowed keys are: ['id', …",
  ],
  [
    'GET /blueprints?nope=1',
    undefined,
    400,
    bad,
    "Filter keys '['nope']' do not exist. Allowed keys are: ['id', …",
  ],
  ['GET /blueprints?_all_tenants=maybe', undefined, 400, bad, '_all_tenants must be <true/false>, got maybe'],
  [
    'GET /deployments',
    undefined,
    403,
    forbidden,
    'Authorization failed: Tried to authenticate with invalid tenant name: nope',
    { tenant: 'nope' },
  ],
  [
    'DELETE /sites/site1',
    undefined,
    403,
    forbidden,
    'User `viewer1` is not permitted to perform the action site_delete in the tenant `default_tenant`',
    { user: 'viewer1' },
  ],
  [
    'GET /deployments',
    undefined,
    401,
    'unauthorized_error',
    'User unauthorized: No authentication info provided',
    { user: null },
  ],
  ['POST /executions', { workflow_id: 'install' }, 400, bad, 'Missing deployment_id in json request body'],
  [
    'POST /executions',
    start({ parameters: [] }),
    400,
    bad,
    'parameters parameter is expected to be of type dict but is of type list',
  ],
  ['POST /executions', start({ force: 'yes' }), 400, bad, 'force must be <true/false>, got yes'],
  ['POST /executions', start({ force: {} }), 400, bad, 'force must be <true/false>, got {}'],
  [
    'PUT /sites/site1',
    {},
    409,
    conflict,
    '<Site id=`site1` tenant=`default_tenant`> already exists on <Tenant name=`default_tenant`> or with global visibility',
  ],
  [
    'PUT /sites/wide',
    {},
    409,
    conflict,
    '<Site id=`wide` tenant=`other`> already exists on <Tenant name=`other`> or with global visibility',
    { tenant: 'other' },
  ],
  [
    'PUT /sites/site2',
    { visibility: 'global' },
    409,
    conflict,
    "Can't set or create the resource <Site id=`site2` tenant=`other`>, its visibility can't be global because it also exists in other tenants",
    { tenant: 'other' },
  ],
  [
    'PUT /sites/new1',
    { visibility: 'all' },
    400,
    bad,
    "Invalid visibility: `all`. Valid visibility's values are: ['private', 'tenant', 'global']",
  ],
  [
    'PUT /sites/new1',
    { visibility: 'global' },
    403,
    forbidden,
    'User `alice` is not permitted to set or create a global resource',
    { user: 'alice' },
  ],
  [
    'PATCH /blueprints/bp/set-visibility',
    { visibility: 'private' },
    400,
    bad,
    "Invalid visibility: `private`. Valid visibility's values are: ['tenant', 'global']",
  ],
  [
    'POST /sites/wide',
    { visibility: 'tenant' },
    400,
    illegal,
    "Can't set the visibility of `wide` to tenant because it already has wider visibility",
  ],
  [
    'DELETE /sites/wide',
    undefined,
    400,
    illegal,
    "Can't modify the global resource `wide` from outside its tenant `default_tenant`",
    { tenant: 'other' },
  ],
]

const identifiers: readonly Case[] = [
  ['PUT /sites/1bad', {}, 400, bad, 'The `name` argument must begin with a letter'],
  ['PUT /filters/deployments/a%20b', { filter_rules: [] }, 400, bad, `The \`filter_id\` ${notLetters}`],
  [
    'PUT /filters/deployments/1bad',
    { filter_rules: [] },
    400,
    bad,
    'The `filter_id` argument must begin with a letter',
  ],
  [`PUT /filters/deployments/${long}`, { filter_rules: [] }, 400, bad, `The \`filter_id\` ${tooLong}`],
  [`PUT /deployments/${long}`, deployment({}), 400, bad, `The \`deployment_id\` ${tooLong}`],
  ['PUT /deployments/a%20b', deployment({}), 400, bad, `The \`deployment_id\` ${notLetters}`],
  ['PUT /deployments/x', deployment({ site_name: '' }), 400, bad, 'The `site_name` argument is empty.'],
  [
    'PUT /deployments/x',
    deployment({ site_name: '1bad' }),
    400,
    bad,
    'The `site_name` argument must begin with a letter',
  ],
  ['POST /deployments/d/set-site', { site_name: '' }, 400, bad, 'The `site_name` argument is empty.'],
  [
    'POST /deployments/d/set-site',
    { site_name: '1bad' },
    400,
    bad,
    'The `site_name` argument must begin with a letter',
  ],
  [
    'POST /deployments/d/set-site',
    { site_name: 'nope' },
    404,
    gone,
    'Requested `Site` with ID `nope` was not found',
  ],
  ['GET /deployments?_filter_id=', undefined, 400, bad, 'The `_filter_id` argument is empty.'],
  [
    'GET /deployments?_filter_id=1bad',
    undefined,
    400,
    bad,
    'The `_filter_id` argument must begin with a letter',
  ],
  [
    'GET /deployments?_filter_id=nope',
    undefined,
    404,
    gone,
    'Requested `DeploymentsFilter` with ID `nope` was not found',
  ],
  [
    'POST /searches/deployments?_filter_id=1bad',
    {},
    400,
    bad,
    'The `_filter_id` argument must begin with a letter',
  ],
  ['PUT /deployment-groups/g', { filter_id: '' }, 400, bad, 'The `filter_id` argument is empty.'],
]

const filters: readonly Case[] = [
  [
    'POST /searches/deployments',
    { filter_rules: null },
    400,
    bad,
    'filter_rules parameter is expected to be of type list but is of type NoneType',
  ],
  [
    'POST /searches/deployments',
    { filter_rules: 'x' },
    400,
    bad,
    'filter_rules parameter is expected to be of type list but is of type str',
  ],
  [
    'POST /searches/blueprints',
    { filter_rules: {} },
    400,
    bad,
    'filter_rules parameter is expected to be of type list but is of type dict',
  ],
  [
    'PUT /filters/deployments/new',
    { filter_rules: null },
    400,
    bad,
    'filter_rules parameter is expected to be of type list but is of type NoneType',
  ],
  [
    'PATCH /filters/deployments/mine',
    { filter_rules: null },
    400,
    bad,
    'filter_rules parameter is expected to be of type list but is of type NoneType',
  ],
  ['PUT /filters/deployments/new', {}, 400, bad, 'Missing filter_rules in json request body'],
  [
    'PATCH /filters/deployments/mine',
    {},
    400,
    illegal,
    'Update a resource with an empty body is not allowed',
  ],
  [
    'PUT /filters/deployments/csys-x',
    { filter_rules: [] },
    400,
    bad,
    'All filters with a `csys-` prefix are reserved for internal use.',
  ],
  [
    'POST /searches/deployments',
    { filter_rules: ['x'] },
    400,
    'invalid_filter_rule',
    "The filter rule 'x' is not in the right format. …",
  ],
  [
    'POST /searches/deployments',
    rule({ operator: 'x' }),
    400,
    'invalid_filter_rule',
    "The filter rule {'type': 'label', 'key': 'k', 'operator': 'x', 'values': ['v']} is not in the right format. The operator for filtering by labels must be one of ['any_of', 'not_any_of', 'is_null', 'is_not_null', 'is_not'].",
  ],
  [
    'POST /searches/deployments',
    rule({ type: 'x' }),
    400,
    'invalid_filter_rule',
    "…The filter rule type must be one of ['label', 'attribute'].",
  ],
  [
    'POST /searches/deployments',
    rule({ type: 'attribute', key: 'id', values: ['a b'] }),
    400,
    'invalid_filter_rule',
    '…contains illegal characters…',
  ],
  [
    'POST /searches/scaling-groups',
    { constraints: { blueprint_id: 'nope' } },
    404,
    gone,
    'Requested `Blueprint` with ID `nope` was not found',
  ],
  [
    'POST /searches/scaling-groups?blueprint_id=nope',
    {},
    404,
    gone,
    'Requested `Blueprint` with ID `nope` was not found',
  ],
  [
    'POST /searches/scaling-groups',
    { constraints: { deployment_id: 'nope' } },
    404,
    gone,
    'Requested `Deployment` with ID `nope` was not found',
  ],
]

const labelled: readonly Case[] = [
  [
    'PATCH /deployments/d',
    { labels: 'x' },
    400,
    bad,
    'labels parameter is expected to be of type list but is of type str',
  ],
  ['PATCH /deployments/d', labels('x'), 400, bad, notLabels],
  ['PATCH /deployments/d', labels({ a: 'b', c: 'd' }), 400, bad, notLabels],
  [
    'PATCH /deployments/d',
    labels({ a: 'b' }, { a: ['b'] }),
    400,
    bad,
    'You cannot define the same label twice',
  ],
  ['PATCH /deployments/d', labels({ 'a b': 'c' }), 400, bad, `The \`key\` ${notLetters}`],
  ['PATCH /deployments/d', labels({ '': 'c' }), 400, bad, 'The `key` argument is empty.'],
  ['PATCH /deployments/d', labels({ [long]: 'c' }), 400, bad, `The \`key\` ${tooLong}`],
  ['PATCH /deployments/d', {}, 400, illegal, 'Update a resource with an empty body is not allowed'],
  [
    'PATCH /deployments/d',
    labels({ 'csys-obj-parent': 'nope' }),
    404,
    'deployment_parent_not_found_error',
    'Environment referenced by `csys-obj-parent` not found: nope',
  ],
  [
    'PATCH /deployments/parent',
    labels({ 'csys-obj-parent': 'child' }),
    409,
    conflict,
    'cyclic dependencies: …',
  ],
  ['PATCH /deployments/d', { creator: 'nobody' }, 400, bad, 'User nobody does not exist.'],
  ['PATCH /deployments/d', { description: 'x', inputs: {} }, 409, conflict, 'inputs is already set'],
]

const blueprints: readonly Case[] = [
  ['PATCH /blueprints/bp', { x: 1 }, 400, bad, 'Unknown parameters: x'],
  ['PATCH /blueprints/bp', {}, 400, illegal, 'Update a resource with an empty body is not allowed'],
  ['PATCH /blueprints/bp', { creator: 'nobody' }, 400, bad, 'User nobody does not exist.'],
  [
    'DELETE /blueprints/half',
    undefined,
    400,
    'invalid_blueprint_error',
    '…Blueprint `half` is still parsing.',
  ],
  ['DELETE /blueprints/bp', undefined, 400, dependent, '…There are deployments that depend on it…'],
  [
    'DELETE /blueprints/bp?force=true',
    undefined,
    400,
    dependent,
    '…There are deployments that depend on it…',
  ],
]

const deployments: readonly Case[] = [
  [
    'PUT /deployments/d',
    deployment({}),
    409,
    conflict,
    '<Deployment id=`d` tenant=`default_tenant`> already exists on <Tenant name=`default_tenant`> or with global visibility',
  ],
  [
    'PUT /deployments/x',
    { blueprint_id: 'nope' },
    404,
    gone,
    'Requested `Blueprint` with ID `nope` was not found',
  ],
  [
    'PUT /deployments/x',
    { blueprint_id: 'half' },
    400,
    'deployment_creation_error',
    'Unable to create a deployment based on a blueprint which is not `uploaded` but: `parsing`',
  ],
  [
    'PUT /deployments/x',
    deployment({ inputs: { x: 1 } }),
    400,
    'unknown_deployment_input_error',
    'Cannot create deployment - unknown inputs: x',
  ],
  [
    'DELETE /deployments/busy',
    undefined,
    400,
    dependent,
    "Can't delete deployment busy - There are running or queued executions for this deployment. Running executions ids: …",
  ],
  [
    'DELETE /deployments/parent',
    undefined,
    400,
    dependent,
    '…the following existing installations depend on it:…[1] Deployment `child` …',
  ],
  ['DELETE /deployments/d', undefined, 400, dependent, '…Live nodes ids: n_1'],
  ['DELETE /deployments/nope', undefined, 404, gone, 'Requested `Deployment` with ID `nope` was not found'],
  [
    'PUT /deployments/inter-deployment-dependencies',
    { dependency_creator: 'x', source_deployment: 'nope', target_deployment: 'd' },
    404,
    gone,
    'Requested `Deployment` with ID `nope` was not found',
  ],
  [
    'PUT /deployments/inter-deployment-dependencies',
    { dependency_creator: 'x', source_deployment: 'd', target_deployment: 'nope' },
    404,
    gone,
    'Requested `Deployment` with ID `nope` was not found',
  ],
  [
    'PUT /deployments/inter-deployment-dependencies',
    { dependency_creator: 'x', source_deployment: 'parent', target_deployment: 'd' },
    409,
    conflict,
    'cyclic dependency between deployments parent and d',
  ],
  [
    'DELETE /deployments/inter-deployment-dependencies',
    { dependency_creator: 'y', source_deployment: 'd', target_deployment: 'parent' },
    404,
    gone,
    "…was not found (filters: {'dependency_creator': 'y', 'source_deployment': 'd', 'target_deployment': 'parent'})",
  ],
]

const executions: readonly Case[] = [
  [
    'POST /executions',
    start({ deployment_id: 'nope' }),
    404,
    gone,
    'Requested `Deployment` with ID `nope` was not found',
  ],
  [
    'POST /executions',
    start({ workflow_id: 'nope' }),
    400,
    'nonexistent_workflow_error',
    'Workflow nope does not exist in deployment d',
  ],
  [
    'POST /executions',
    start({ parameters: { a: 1 } }),
    400,
    'illegal_execution_parameters_error',
    'Workflow "install" does not have the following parameters declared: a. …',
  ],
  [
    'POST /executions',
    start({ deployment_id: 'busy' }),
    400,
    'existing_running_execution_error',
    'The following executions are currently running for this deployment: …',
  ],
  [
    'POST /executions/ENDED',
    { action: 'x' },
    400,
    bad,
    "Invalid action: x, Valid action values are: ['cancel', 'force-cancel', 'kill', 'resume', 'force-resume', 'requeue']",
  ],
  [
    'POST /executions/ENDED',
    { action: 'cancel' },
    400,
    illegal,
    "Can't cancel execution ENDED because it's in status terminated",
  ],
  [
    'POST /executions/ENDED',
    { action: 'force-cancel' },
    400,
    illegal,
    "Can't force-cancel execution ENDED because it's in status terminated",
  ],
  ['POST /executions/ENDED', { action: 'resume' }, 409, conflict, 'Cannot resume execution: …'],
  ['POST /executions/ENDED', { action: 'force-resume' }, 409, conflict, 'Cannot force-resume execution: …'],
  [
    'PATCH /executions/ENDED',
    { status: 'started' },
    400,
    'invalid_exception_status_update',
    `Invalid relationship - can't change status from terminated to started for "ENDED" execution while running "install" workflow.`,
  ],
  ['PATCH /executions/ENDED', { status: 'odd' }, 400, bad, 'Invalid execution status: odd'],
  [
    'POST /execution-groups/nope',
    { action: 'x' },
    400,
    bad,
    "Invalid action: x, Valid action values are: ['cancel', 'force-cancel', 'kill', 'resume', 'force-resume']",
  ],
]

const events: readonly Case[] = [
  [
    'GET /events?nope=1',
    undefined,
    400,
    bad,
    "Unknown field to filter by: nope. Allowed values: ['type', 'event_type', 'level', …",
  ],
  ['GET /events?_sort=nope', undefined, 400, bad, "Sort keys '['nope']' do not exist. Allowed keys are: […"],
  ['GET /events?_range=,2020-01-01,', undefined, 400, bad, "…keys '['']' do not exist…"],
  ['GET /events?_range=timestamp,,', undefined, 400, bad, 'Invalid range `timestamp,,`'],
  ['GET /events?_range=timestamp,soon,', undefined, 400, bad, 'soon is not a legal time format'],
  ['POST /events', { logs: [] }, 409, conflict, '…'],
]

const others: readonly Case[] = [
  ['PUT /sites/new1', { location: 'x' }, 400, bad, 'Invalid location `x`…'],
  ['PUT /sites/new1', { location: '91,0' }, 400, bad, 'Invalid location `91,0`…'],
  [
    'POST /sites/site1',
    { new_name: 'site2' },
    409,
    conflict,
    'Invalid new name `site2`, it already exists on <Tenant name=`default_tenant`> or with global visibility',
  ],
  [
    'PUT /secrets/shaped',
    { value: 5, update_if_exists: true },
    409,
    conflict,
    'Error validating secret value: …',
  ],
  ['PATCH /secrets/shaped', {}, 400, illegal, 'Update a resource with an empty body is not allowed'],
  [
    'POST /secrets/share/import',
    { secrets_list: [], override_collisions: false, tenant_map: { a: 'x' } },
    400,
    bad,
    "The following destination tenants do not exist on the Manager: ['x']",
  ],
  [
    'PUT /agents/a',
    { node_instance_id: 'n_1', state: 'odd', create_rabbitmq_user: false },
    400,
    bad,
    'Invalid agent state: `odd`.',
  ],
  [
    'PATCH /node-instances/n_1',
    { version: 0, state: 'x' },
    409,
    conflict,
    'Node instance update conflict [current version=1, update version=0]',
  ],
  ['PUT /config/nope', { value: 1 }, 404, gone, '…not found'],
  [
    'PUT /config/max_concurrent_workflows',
    { value: 'many' },
    409,
    conflict,
    'Error validating max_concurrent_workflows: …',
  ],
  [
    'PUT /users',
    { username: 'new1', password: 'x' },
    400,
    bad,
    'The password is too short. Minimum allowed length is 5 characters',
  ],
  [
    'PUT /users',
    { username: 'new1', password: 'long-enough', role: 'odd' },
    400,
    bad,
    'Invalid role: `odd`. Valid system_role roles are: […]',
  ],
  [
    'PUT /users',
    { username: 'new1', password: 'long-enough', role: 'viewer' },
    400,
    bad,
    'Role `viewer` is a tenant_role and cannot be assigned as a system_role',
  ],
  [
    'POST /users/alice',
    {},
    400,
    bad,
    'No valid user settings provided. Available settings: password, role, show_getting_started',
  ],
  [
    'PUT /tenants/users',
    { username: 'alice', tenant_name: 'other', role: 'odd' },
    400,
    bad,
    'Invalid role: `odd`. Valid tenant_role roles are: […]',
  ],
  ['POST /tokens', { expiration_date: '2020-01-01 00:00' }, 400, bad, 'Expiration date was in the past.'],
  ['GET /tokens/nope', undefined, 404, gone, 'Could not find token nope'],
  [
    'GET /tenants/nope',
    undefined,
    403,
    forbidden,
    'Authorization failed: Tried to authenticate with invalid tenant name: nope',
  ],
  [
    'PUT /permissions/viewer/x',
    undefined,
    401,
    'unauthorized_error',
    'User unauthorized: Only admin users are permitted to edit permissions',
    { user: 'alice' },
  ],
  [
    'POST /deployments/d/set-site',
    {},
    400,
    bad,
    'Must provide either a `site_name` of a valid site or `detach_site` with true value',
  ],
]

const cases: readonly Case[] = [
  ...everywhere,
  ...identifiers,
  ...filters,
  ...labelled,
  ...blueprints,
  ...deployments,
  ...executions,
  ...events,
  ...others,
]

const named = cases.map(
  (given) => [`${given[0]} with ${JSON.stringify(given[1])}: ${given[4]}`, given] as const,
)

test.each(named)('%s', async (_name, [request, body, status, code, message, as = {}]) => {
  const here = (text: string) => text.replaceAll('ENDED', ids.ended ?? '')
  const [method = '', path = ''] = here(request).split(' ')
  const answer = await manager.inject(method as 'GET', path, { ...as, body })
  expect({ status: answer.status, code: answer.body.error_code, message: answer.body.message }).toEqual({
    status,
    code,
    message: expect.stringMatching(pattern(here(message))),
  })
})

/** A text in which `…` stands for anything. */
function pattern(text: string): RegExp {
  const parts = text.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('[^]*')}$`)
}
