import { badParameter } from './errors/messages.ts'

export const maxIdentifierLength = 256

const legal = /^[A-Za-z0-9\-._~]+$/
const beginsWithLetter = /^[A-Za-z]/

/**
 * Checks an id that a request creates; reads are not checked (docs/reference/rest-conventions.md, "Identifiers").
 * `startsWith` is `letter` for most; deployments of v3.1 and label keys may start with anything legal.
 *
 * @throws bad_parameters_error
 */
export function checkIdentifier(
  field: string,
  value: string,
  startsWith: 'letter' | 'any' = 'letter',
): string {
  if (value.length === 0) throw badParameter(`The \`${field}\` argument is empty.`)
  if (value.length > maxIdentifierLength) {
    throw badParameter(
      `The \`${field}\` argument is too long. Maximum allowed length is ${maxIdentifierLength} characters`,
    )
  }
  if (!legal.test(value)) {
    throw badParameter(
      `The \`${field}\` argument contains illegal characters. Only letters, digits and the characters ` +
        '"-", ".", "_" and "~" are allowed.',
    )
  }
  if (startsWith === 'letter' && !beginsWithLetter.test(value)) {
    throw badParameter(`The \`${field}\` argument must begin with a letter`)
  }
  return value
}

const controlCharacters = /\p{Cc}/u

/**
 * A display name: NFKC-normalised, not unique (docs/reference/rest-conventions.md, "Identifiers"). @throws
 * bad_parameters_error
 */
export function checkDisplayName(value: string): string {
  const name = value.normalize('NFKC')
  if (name.length === 0) throw badParameter('The `display_name` argument is empty.')
  if (name.length > maxIdentifierLength) {
    throw badParameter(
      `The \`display_name\` argument is too long. Maximum allowed length is ${maxIdentifierLength} characters`,
    )
  }
  if (controlCharacters.test(name)) {
    throw badParameter('The `display_name` argument contains control characters, which are not allowed.')
  }
  return name
}
