/** `['a', 'b']`: how messages that clients show (and some match) print a list of names. */
export const wireList = (values: readonly string[]): string =>
  `[${values.map((value) => `'${value}'`).join(', ')}]`
