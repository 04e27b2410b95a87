import { ApiError } from '@tutti/api'
import {
  convertAndCheckParameters,
  hasFunctionsInConstraints,
  type Json,
  type PlanWorkflow,
  withObjects,
} from '@tutti/dsl'
import type { Scope } from '@tutti/storage'
import { type Evaluator, evaluateConstraints, objectFinder, openEvaluation } from '../evaluation/index.ts'

type Declared = PlanWorkflow['parameters']

/** What a workflow declares, with values where its constraints hold functions. @throws functions_evaluation_error */
export async function declaredParameters(
  evaluator: Evaluator,
  scope: Scope,
  deploymentId: string,
  { parameters }: PlanWorkflow,
): Promise<Declared> {
  if (!hasFunctionsInConstraints(parameters)) return parameters
  return evaluateConstraints(evaluator, parameters, await openEvaluation(evaluator, scope, deploymentId))
}

/**
 * What is given for a workflow, converted and checked against what it declares.
 *
 * @throws illegal_execution_parameters_error
 */
export async function checkParameters(
  evaluator: Evaluator,
  scope: Scope,
  given: {
    readonly deploymentId: string
    readonly workflowId: string
    readonly parameters: Readonly<Record<string, unknown>>
    readonly allowCustomParameters: boolean
  },
  declared: Declared,
  find = objectFinder(evaluator, scope),
): Promise<Readonly<Record<string, Json>>> {
  const outcome = await withObjects(find, (objects) =>
    convertAndCheckParameters({
      workflow: given.workflowId,
      schema: declared,
      given: given.parameters as Readonly<Record<string, Json>>,
      allowCustomParameters: given.allowCustomParameters,
      deploymentId: given.deploymentId,
      objects,
    }),
  )
  if (outcome.ok) return outcome.parameters
  throw new ApiError('illegal_execution_parameters_error', outcome.problems.join('\n'))
}
