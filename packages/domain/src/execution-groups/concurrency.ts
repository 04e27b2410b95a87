import { badParameter } from '@tutti/api'

/** @throws bad_parameters_error */
export function checkConcurrency(concurrency: number): number {
  if (concurrency >= 0 && concurrency <= 0x7fffffff) return concurrency
  throw badParameter(`concurrency must be 0 or more, got ${concurrency}`)
}
