import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  createDeploymentPlan,
  type DeploymentPlan,
  type Plan,
  parseBlueprint,
  TYPE_FILES,
  typeFileUrl,
} from '../src/index.ts'

const types = new Map(
  TYPE_FILES.map((path) => [path, readFileSync(fileURLToPath(typeFileUrl(path)), 'utf8')]),
)

/** The plan of a blueprint's text, which imports nothing but the built-in types. */
export async function parsed(text: string): Promise<Plan> {
  const outcome = await parseBlueprint({
    mainFile: 'file:/bench/blueprint.yaml',
    text,
    files: new Set(['scripts/create.sh']),
    resolve: async (request) => {
      const found = request.kind === 'resource' ? types.get(request.path) : undefined
      return found === undefined || request.kind !== 'resource'
        ? null
        : { address: request.path, text: found }
    },
    now: new Date(),
  })
  if (!outcome.ok) throw new Error(outcome.diagnostics[0].message)
  return outcome.plan
}

export function deployed(plan: Plan): DeploymentPlan {
  let random = 0
  const outcome = createDeploymentPlan({
    plan,
    inputs: {},
    randomId: () => (random++).toString(36).padStart(6, '0'),
  })
  if (!outcome.ok) throw outcome.error
  return outcome.deploymentPlan
}
