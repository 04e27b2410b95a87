import { blueprintArchive, blueprintText } from './archives.ts'
import { callScript } from './gate.ts'

/**
 * A blueprint of the nodes `first` and `second`, which depends on it. Each calls the gate when it is created and
 * deleted, and on the operation `own.call`, as `first create` and so on.
 */
export function callingBlueprint(port: number): Buffer {
  const operation = (who: string) => ({
    implementation: 'call.py',
    executor: 'central_deployment_agent',
    max_retries: 1,
    retry_interval: 0,
    inputs: { port, who },
  })
  const interfaces = (node: string) => ({
    'cloudify.interfaces.lifecycle': {
      create: operation(`${node} create`),
      delete: operation(`${node} delete`),
    },
    own: { call: operation(`${node} call`) },
  })
  return blueprintArchive(
    blueprintText({
      node_templates: {
        first: { type: 'cloudify.nodes.Root', interfaces: interfaces('first') },
        second: {
          type: 'cloudify.nodes.Root',
          interfaces: interfaces('second'),
          relationships: [{ target: 'first', type: 'cloudify.relationships.depends_on' }],
        },
      },
      plugins: {
        own: { executor: 'central_deployment_agent', install: false },
        absent: { executor: 'central_deployment_agent', package_name: 'absent' },
      },
      workflows: {
        typed: {
          mapping: 'default_workflows.cloudify.plugins.workflows.execute_operation',
          parameters: {
            text: { type: 'string', default: '' },
            number: { type: 'integer', default: 1, constraints: [{ in_range: [1, 10] }] },
            share: { type: 'float', default: 0.5 },
            flag: { type: 'boolean', default: false },
            list: { type: 'list', item_type: 'integer', default: [] },
            one: { type: 'string' },
            two: {},
            optional: { required: false },
          },
        },
        addressed: {
          mapping: 'default_workflows.cloudify.plugins.workflows.execute_operation',
          parameters: { address: { type: 'string', default: { get_attribute: ['first', 'address'] } } },
        },
        mine: { mapping: 'absent.tasks.install' },
        put_up: { mapping: 'default_workflows.cloudify.plugins.workflows.install' },
        take_down: {
          mapping: 'default_workflows.cloudify.plugins.workflows.uninstall',
          parameters: { recursive: { default: false } },
        },
        off: {
          mapping: 'default_workflows.cloudify.plugins.workflows.install',
          availability_rules: { available: false },
        },
        hosts: {
          mapping: 'default_workflows.cloudify.plugins.workflows.install',
          availability_rules: { node_types_required: ['cloudify.nodes.Compute'] },
        },
      },
    }),
    { 'call.py': callScript },
  )
}
