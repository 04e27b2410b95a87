import { randomId } from '@tutti/domain/node-instances'
import type { ImportablePlugin } from '@tutti/domain/plugins'
import { PLANNING_LIMITS } from '@tutti/dsl'
import type { FindBlueprint } from '../blueprints/import-resolver.ts'
import type { FolderToParse } from '../blueprints/parse-folder.ts'
import { type ParsedBlueprint, parseToText } from './blueprint.ts'
import {
  type EnvironmentAnswers,
  type EnvironmentToPlan,
  type PlannedEnvironment,
  planEnvironment,
} from './environment.ts'
import { type PlannedUpdate, planUpdate, type UpdateToPlan } from './update.ts'

/** What takes too long for an event loop; `answers` are questions that only the database can answer. */
export type Tasks = {
  readonly parse: {
    readonly input: FolderToParse
    readonly answers: {
      readonly blueprint: FindBlueprint
      /** Of the package of that name. */
      readonly plugins: (packageName: string) => Promise<readonly ImportablePlugin[]>
      readonly pluginFile: (file: PluginFile) => Promise<string>
    }
    readonly result: ParsedBlueprint
  }
  readonly environment: {
    readonly input: EnvironmentToPlan
    readonly answers: EnvironmentAnswers
    readonly result: PlannedEnvironment
  }
  readonly update: {
    readonly input: UpdateToPlan
    readonly answers: EnvironmentAnswers
    readonly result: PlannedUpdate
  }
}

export type PluginFile = { readonly tenantId: number; readonly id: string; readonly name: string }

export type TaskName = keyof Tasks

type Run = {
  readonly [Name in TaskName]: (
    input: Tasks[Name]['input'],
    answers: Tasks[Name]['answers'],
  ) => Promise<Tasks[Name]['result']>
}

export const runTask: Run = {
  parse: (folder, { blueprint, plugins, pluginFile }) =>
    parseToText(folder, blueprint, async (packageName) =>
      (await plugins(packageName)).map((plugin) => ({
        ...plugin,
        read: (name) => pluginFile({ tenantId: plugin.tenantId, id: plugin.id, name }),
      })),
    ),
  environment: (environment, answers) => planEnvironment(environment, answers, randomId, PLANNING_LIMITS),
  update: (update, answers) => planUpdate(update, answers, randomId),
}
