import { builtInMapping, builtInWorkflow, type GraphPhase, type JsonObject } from '../src/index.ts'

/** The phases of a built-in workflow that are graphs. */
export const graphPhases = (name: string, parameters: JsonObject): readonly GraphPhase[] =>
  builtInWorkflow(builtInMapping(name), name)
    .phases(parameters)
    .filter((phase) => phase.kind === 'graph')
