import {
  type Diagnostic,
  type ImportRequest,
  type ParseOutcome,
  type Plan,
  parseBlueprint,
  typesFileOfUrl,
} from '../src/index.ts'
import type { Json } from '../src/json.ts'
import type { ParseCase } from './case.ts'

/** The day on which the corpus was recorded: schedules that give a time alone took that day. */
const RECORDED = new Date('2026-11-21T12:00:00Z')

/** Texts by the path below the resource root, e.g. `cloudify/types/types.yaml`. */
export type Resources = ReadonlyMap<string, string>

export function parseCase(case_: ParseCase, resources: Resources): Promise<ParseOutcome> {
  const location = case_.location ?? '/bp/blueprint.yaml'
  return parseBlueprint({
    mainFile: `file:${location}`,
    text: case_.text,
    files: new Set(case_.files ?? []),
    resolve: async (request) => {
      for (const address of addressesOf(request, case_)) {
        const text = Object.hasOwn(case_.imports, address) ? case_.imports[address] : undefined
        if (text !== undefined) return { address, text }
      }
      // What the reference's own tests answered without a file was not recorded: it counts as empty.
      if (request.kind === 'plugin' || request.kind === 'blueprint')
        return { address: request.kind, text: '' }
      const path =
        request.kind === 'resource'
          ? request.path
          : request.kind === 'url'
            ? typesFileOfUrl(request.url)
            : null
      const text = path === null ? undefined : resources.get(path)
      return text === undefined ? null : { address: `resource:${path}`, text }
    },
    ...(case_.options === undefined
      ? {}
      : {
          options: {
            validateVersion: case_.options.validate_version,
            validateIntrinsicFunctions: case_.options.validate_intrinsic_function,
            validateInputDefaults: case_.options.validate_input_defaults,
          },
        }),
    now: RECORDED,
  })
}

function addressesOf(request: ImportRequest, case_: ParseCase): readonly string[] {
  switch (request.kind) {
    case 'file':
      return [request.address, request.address.replace(/^file:\/*/, 'file:/')]
    case 'resource':
      return case_.base === undefined ? [] : [`file:${case_.base}/${request.path}`]
    case 'url':
      return [request.url]
    case 'plugin':
      return [request.location]
    case 'blueprint':
      return [`blueprint:${request.id}`]
  }
}

/** A plan as plain JSON. */
export function jsonOf(plan: Plan): Json {
  return JSON.parse(JSON.stringify(plan)) as Json
}

export function errorText(diagnostic: Pick<Diagnostic, 'errorClass' | 'code' | 'message'>): string {
  return `${diagnostic.errorClass} ${diagnostic.code}: ${diagnostic.message}`
}
