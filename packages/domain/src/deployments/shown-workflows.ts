import { type DeploymentState, type PlanWorkflow, whyUnavailable } from '@tutti/dsl'
import { whyNotRun } from '@tutti/engine'

export type Workflows = Readonly<Record<string, PlanWorkflow>>

/** The stored dict as the list that the API shows, with what can run now (docs/reference/deployments.md, "Fields"). */
export const workflowList = (workflows: Workflows, state: DeploymentState) =>
  Object.entries(workflows).map(([name, workflow]) => ({
    ...before(name, workflow),
    is_available: isAvailable(name, workflow, state),
    availability_rules: workflow.availability_rules,
  }))

const before = (name: string, { plugin, operation, parameters, is_cascading }: PlanWorkflow) => ({
  name,
  created_at: null,
  plugin,
  operation,
  parameters,
  is_cascading,
})

const isAvailable = (name: string, workflow: PlanWorkflow, state: DeploymentState): boolean =>
  whyNotRun(name, workflow) === undefined && whyUnavailable(workflow.availability_rules, state) === undefined

/** The JSON of such a list, from that of the dict. */
export function workflowsText(json: string, state: DeploymentState): string {
  const shown = parsedWorkflows(json).map(
    ({ name, workflow, head, tail }) => `${head}${isAvailable(name, workflow, state)}${tail}`,
  )
  return `[${shown.join(',')}]`
}

type Parsed = readonly {
  readonly name: string
  readonly workflow: PlanWorkflow
  /** The text up to whether it is available, and from there on. */
  readonly head: string
  readonly tail: string
}[]

/** Deployments of one blueprint have the same workflows, which are most of a deployment's JSON: parsed once. */
const parsed = new Map<string, Parsed>()
const mostParsed = 100
const mostCharacters = 100_000

function parsedWorkflows(json: string): Parsed {
  const known = parsed.get(json)
  if (known !== undefined) return known
  const made = Object.entries(JSON.parse(json) as Workflows).map(([name, workflow]) => {
    const rest = JSON.stringify({ availability_rules: workflow.availability_rules }).slice(1)
    return {
      name,
      workflow,
      head: `${JSON.stringify(before(name, workflow)).slice(0, -1)},"is_available":`,
      tail: rest === '}' ? rest : `,${rest}`,
    }
  })
  if (json.length > mostCharacters) return made
  // The oldest first: one that is asked for often is soon back.
  for (const oldest of parsed.keys()) if (parsed.size >= mostParsed) parsed.delete(oldest)
  parsed.set(json, made)
  return made
}
