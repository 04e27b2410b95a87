import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from '@tutti/client'

/** One start of an operation's script, as the script itself wrote it down. */
export type Start = {
  readonly operationId: string
  readonly operation: string
  readonly instanceId: string
  readonly retry: number
  readonly resume: boolean
  readonly pid: number
}

export type RecordedBlueprint = {
  /** For `client.blueprints.upload`. */
  readonly folder: string
  /** As the blueprint `recorded`. */
  upload(client: Client): Promise<void>
  /** Every start so far, in order. */
  starts(): Promise<readonly Start[]>
}

/** The levels that depend on each other, the first one first. */
export const levels = ['network', 'storage', 'database', 'service', 'cache', 'proxy'] as const

/** The operations of each instance, in their order, unless a test asks for others. */
export const operations = ['create', 'start'] as const

/**
 * A blueprint of six levels with `instances` each, whose operations write down that they were started before they
 * work for a while. One write to a file that is open for appending is whole, whoever else writes.
 */
export async function recordedBlueprint(
  folder: string,
  options: {
    readonly instances: number
    readonly workSeconds: number
    readonly operations?: readonly string[]
  },
): Promise<RecordedBlueprint> {
  const file = join(folder, 'starts.jsonl')
  const blueprint = join(folder, 'recorded')
  await mkdir(blueprint, { recursive: true })
  await appendFile(file, '')
  await writeFile(join(blueprint, 'record.py'), script(file, options.workSeconds))
  await writeFile(
    join(blueprint, 'blueprint.yaml'),
    yaml(options.instances, options.operations ?? operations),
  )
  return {
    folder: blueprint,
    async upload(client) {
      await client.blueprints.upload('recorded', { kind: 'folder', path: blueprint, mainFile: undefined })
    },
    async starts() {
      const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1)
      return lines.map((line) => JSON.parse(line) as Start)
    },
  }
}

function script(file: string, workSeconds: number): string {
  return `import json, os, random, time
from cloudify import ctx

line = json.dumps({
    'operationId': ctx.task_id, 'operation': ctx.operation.name.split('.')[-1], 'instanceId': ctx.instance.id,
    'retry': ctx.operation.retry_number, 'resume': ctx.resume, 'pid': os.getpid()}) + '\\n'
record = os.open(${JSON.stringify(file)}, os.O_WRONLY | os.O_APPEND)
os.write(record, line.encode())
os.close(record)
time.sleep(random.uniform(0.2, 1.8) * ${workSeconds})
if ctx.operation.name.endswith('.create'):
    ctx.instance.runtime_properties['made_by'] = ctx.task_id
`
}

function yaml(instances: number, names: readonly string[]): string {
  const operation = (name: string) =>
    `          ${name}: { implementation: record.py, executor: central_deployment_agent }`
  const nodes = levels.map((level, index) => {
    const below = levels[index - 1]
    const relationships =
      below === undefined
        ? ''
        : `\n    relationships: [{ type: cloudify.relationships.depends_on, target: ${below} }]`
    return `  ${level}:
    type: cloudify.nodes.Root
    capabilities: { scalable: { properties: { default_instances: ${instances} } } }
    interfaces:
      cloudify.interfaces.lifecycle:
${names.map((name) => operation(name).slice(2)).join('\n')}${relationships}`
  })
  return `tosca_definitions_version: cloudify_dsl_1_5
imports: [cloudify/types/types.yaml]
node_templates:
${nodes.join('\n')}
`
}
