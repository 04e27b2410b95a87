import { parentPort, workerData } from 'node:worker_threads'
import { DslError, diagnosticText, type PluginYaml, readPluginYaml } from '@tutti/dsl'

export type YamlTask = readonly { readonly name: string; readonly text: string }[]

/** Of each file, in their order; or what is wrong with the first that is wrong. */
export type YamlAnswer =
  | { readonly ok: true; readonly files: readonly PluginYaml[] }
  | { readonly ok: false; readonly error: string }

parentPort?.postMessage(read(workerData as YamlTask))

function read(task: YamlTask): YamlAnswer {
  try {
    return { ok: true, files: task.map(({ name, text }) => readPluginYaml(name, text)) }
  } catch (error) {
    if (!(error instanceof DslError)) throw error
    return { ok: false, error: diagnosticText(error.toDiagnostic()) }
  }
}
