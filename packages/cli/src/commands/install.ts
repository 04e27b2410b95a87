import { isNotFound } from '@tutti/client'
import { Option } from 'commander'
import type { Context } from '../context.ts'
import { readValues } from '../input/values.ts'
import { blueprintAt, upload, uploadOptions } from './blueprints.ts'
import type { CommandDefinition, Options } from './command.ts'
import { create, deleteDeployment, inputOption } from './deployments.ts'
import { detachOption, parameterOption, sayStarted } from './executions.ts'
import { followToEnd, startWhenCreated } from './follow.ts'

export const installCommand: CommandDefinition = {
  usage: 'install <path>',
  description: 'Upload a blueprint, create a deployment of it and run its install workflow',
  examples: [
    'tutti install ./web',
    'tutti install ./web/app.yaml -b web -d web-1 -i port=8080 -i inputs.yaml',
  ],
  options: [
    ...uploadOptions(),
    new Option('-d, --deployment-id <deployment>', 'id of the deployment (default: the id of the blueprint)'),
    inputOption(),
    parameterOption(),
    detachOption(),
  ],
  run: install,
}

export const uninstallCommand: CommandDefinition = {
  usage: 'uninstall <deployment>',
  description: 'Run the uninstall workflow of a deployment and delete the deployment',
  examples: ['tutti uninstall web-1', 'tutti uninstall web-1 --keep'],
  options: [
    new Option('--keep', 'do not delete the deployment'),
    new Option('--delete-blueprint', 'delete its blueprint too').conflicts('keep'),
    new Option('--force', 'even when other deployments depend on it'),
    parameterOption(),
  ],
  run: uninstall,
}

async function install(context: Context, [path = '']: readonly string[], options: Options): Promise<number> {
  const client = await context.client()
  // Everything that is wrong with the command line is found before anything is uploaded.
  const { id: blueprintId, source } = await blueprintAt(context, path, options)
  const { workingFolder } = context.environment
  await readValues(options.texts('inputs'), workingFolder)
  const parameters = await readValues(options.texts('parameters'), workingFolder)
  const deploymentId = options.text('deploymentId') ?? blueprintId

  await upload(context, client, blueprintId, source, options)
  await create(context, client, deploymentId, blueprintId, withoutLabels(options))
  const begin = () => client.executions.start({ deploymentId, workflowId: 'install', parameters })
  const execution = await startWhenCreated(context, client, begin, deploymentId)
  if (options.flag('detach')) return sayStarted(context, execution)
  const exitCode = await followToEnd(context, client, execution)
  if (exitCode === 0 && !context.isJson)
    context.reporter.note(`  next: tutti deployments outputs ${deploymentId}`)
  return exitCode
}

/** `--label` of an install is the blueprint's. */
const withoutLabels = (options: Options): Options => ({
  ...options,
  texts: (name) => (name === 'label' ? [] : options.texts(name)),
})

async function uninstall(context: Context, [id = '']: readonly string[], options: Options): Promise<number> {
  const client = await context.client()
  const { blueprint_id: blueprint } = await client.deployments.get(id)
  const parameters = await readValues(options.texts('parameters'), context.environment.workingFolder)
  const execution = await client.executions.start({
    deploymentId: id,
    workflowId: 'uninstall',
    parameters,
    force: options.flag('force'),
  })
  const exitCode = await followToEnd(context, client, execution)
  if (exitCode !== 0 || options.flag('keep')) return exitCode
  await deleteDeployment(context, client, id, options)
  if (options.flag('deleteBlueprint') && blueprint !== null) {
    await context.reporter.step(`Deleting blueprint ${blueprint}`, () =>
      client.blueprints.delete(blueprint).catch((error: unknown) => {
        if (!isNotFound(error)) throw error
      }),
    )
  }
  return 0
}
