import { ApiError, badParameter, blueprintStates, wireList } from '@tutti/api'

/** @throws bad_parameters_error */
export function checkState(state: string): void {
  if (blueprintStates.some((known) => known === state)) return
  throw badParameter(`Invalid state: ${state}. Valid states are: ${wireList(blueprintStates)}`)
}

export const withoutPlan = (id: string): ApiError =>
  new ApiError('conflict_error', `Blueprint \`${id}\` has no plan: it cannot be uploaded`)
