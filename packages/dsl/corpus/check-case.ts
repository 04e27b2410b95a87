import { createDeploymentPlan, type Plan } from '../src/index.ts'
import type { Json } from '../src/json.ts'
import type { CorpusCase, DeployCase, ExpectedError, ParseCase } from './case.ts'
import { type Difference, differenceOf } from './difference.ts'
import { renamedInstances } from './rename.ts'
import { errorText, jsonOf, parseCase, type Resources } from './run-case.ts'

export type Corpus = {
  readonly resources: Resources
  /** Parse cases by id, for the deploy cases made from them. */
  readonly parseCases: ReadonlyMap<string, ParseCase>
}

/**
 * Blueprints and plugins that the reference's own tests answered in memory: their text was not recorded, so
 * such a case cannot be judged.
 */
export function isUnrecorded(case_: CorpusCase): boolean {
  if (case_.kind === 'deploy' || case_.expect.plan === undefined) return false
  const texts = [case_.text, ...Object.values(case_.imports)]
  const wanted = texts.flatMap((text) => [
    ...text.matchAll(/^\s*-\s+(?:\S*--)?((?:blueprint|plugin):[^\s]+?):?$/gm),
  ])
  return wanted.some(([, location = '']) => !Object.hasOwn(case_.imports, location))
}

/** What a case gives differently from what was recorded; null when it agrees. */
export async function checkCase(case_: CorpusCase, corpus: Corpus): Promise<Difference | null> {
  return case_.kind === 'deploy' ? checkDeploy(case_, corpus) : checkParse(case_, corpus)
}

async function checkParse(case_: ParseCase, corpus: Corpus): Promise<Difference | null> {
  const outcome = await parseCase(case_, corpus.resources)
  const { expect } = case_
  if (expect.plan !== undefined) {
    if (!outcome.ok) return { where: 'error', expected: 'a plan', got: errorText(outcome.diagnostics[0]) }
    return differenceOf(expect.plan, jsonOf(outcome.plan), { freeText: case_.kind === 'parse' })
  }
  if (outcome.ok) return { where: 'plan', expected: expectedText(expect.error), got: 'a plan' }
  return errorDifference(expect.error, outcome.diagnostics[0])
}

async function checkDeploy(case_: DeployCase, corpus: Corpus): Promise<Difference | null> {
  const plan = await planOf(case_, corpus)
  if (plan === null) return { where: 'plan', expected: `the plan of ${case_.parse_case}`, got: 'none' }
  let random = 0
  const outcome = createDeploymentPlan({
    plan,
    inputs: case_.inputs ?? {},
    runtimeOnlyEvaluation: case_.runtime_only_evaluation,
    autoCorrectTypes: case_.auto_correct_types,
    randomId: () => (random++).toString(36).padStart(6, '0'),
    ...(case_.has_secret_getter ? { secretExists: () => true } : {}),
  })
  const { expect } = case_
  if (expect.deployment_plan !== undefined) {
    if (!outcome.ok) return { where: 'error', expected: 'a deployment plan', got: errorText(outcome.error) }
    const got = JSON.parse(JSON.stringify(outcome.deploymentPlan)) as Json
    return differenceOf(renamedInstances(expect.deployment_plan), renamedInstances(got), { freeText: true })
  }
  if (outcome.ok) return { where: 'plan', expected: expectedText(expect.error), got: 'a deployment plan' }
  return errorDifference(expect.error, outcome.error)
}

async function planOf(case_: DeployCase, corpus: Corpus): Promise<Plan | null> {
  if (case_.plan !== undefined) return case_.plan as unknown as Plan
  const from = corpus.parseCases.get(case_.parse_case ?? '')
  if (from === undefined) return null
  const outcome = await parseCase(from, corpus.resources)
  return outcome.ok ? (jsonOf(outcome.plan) as unknown as Plan) : null
}

function errorDifference(
  expected: ExpectedError | undefined,
  got: { readonly errorClass: string; readonly code: number | null; readonly message: string },
): Difference | null {
  if (expected?.class === got.errorClass && (expected.code ?? null) === got.code) return null
  return {
    where: 'error',
    expected: expectedText(expected),
    got: `${got.errorClass} ${got.code}: ${got.message}`,
  }
}

function expectedText(expected: ExpectedError | undefined): string {
  return `${expected?.class} ${expected?.code ?? null}: ${expected?.message ?? ''}`
}
