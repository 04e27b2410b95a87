import { Type } from 'typebox'
import { JsonObject, Nullable } from '../shapes/common.ts'
import { route } from './route.ts'

export const FunctionsEvaluation = Type.Object({
  deployment_id: Type.String(),
  context: Type.Optional(Nullable(JsonObject)),
  payload: JsonObject,
})

/** docs/reference/deployments.md, "Evaluation of functions"; docs/reference/language/functions.md, "At run time". */
export const evaluationRoutes = {
  'functions.evaluate': route({
    method: 'POST',
    path: '/evaluate/functions',
    permission: 'functions_evaluate',
    summary: 'Evaluate intrinsic functions in the scope of a deployment',
    body: FunctionsEvaluation,
    response: Type.Object({ deployment_id: Type.String(), payload: JsonObject }),
    status: 200,
  }),
} as const
