/** What users are told of a defect of ours; the error itself is for the log. */
export const internalFailure = 'An internal error: the log of the manager says more'

/**
 * What users are told of a failure that nobody foresaw: what a machine lacks is said in its own words, as they can do
 * something about it; of a defect there is nothing to learn from the inside. Never a stack.
 */
export function failureText(error: unknown): string {
  if (!(error instanceof Error)) return internalFailure
  const isDefect = [TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => error instanceof kind)
  const [line = ''] = error.message.split('\n')
  return isDefect || line === '' ? internalFailure : line
}
