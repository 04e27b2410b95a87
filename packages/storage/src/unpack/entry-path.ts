import { UnpackError } from './unpack-error.ts'

/** Limits of Linux file systems (NAME_MAX, PATH_MAX), with room for the folder that is unpacked into. */
const maxNameBytes = 255
const maxPathBytes = 3072

/**
 * The names on the way to an entry, each a plain name; empty for the archive's own root (`./`).
 *
 * @throws UnpackError `unsafe_path`
 */
export function parseEntryPath(name: string): readonly string[] {
  const refuse = (why: string) =>
    new UnpackError(
      'unsafe_path',
      `the archive's entry ${printName(name)} ${why}. Pack the folder again with a tool that stores plain relative paths`,
    )
  if (name.includes('\0')) throw refuse('has a NUL character in its path')
  if (name.startsWith('/')) throw refuse('has an absolute path')
  const names = name.split('/').filter((part) => part !== '' && part !== '.')
  if (names.includes('..')) throw refuse('leads out of the archive with `..`')
  if (Buffer.byteLength(name) > maxPathBytes) throw refuse(`has a path of more than ${maxPathBytes} bytes`)
  if (names.some((part) => Buffer.byteLength(part) > maxNameBytes)) {
    throw refuse(`has a name of more than ${maxNameBytes} bytes in its path`)
  }
  return names
}

/** A name for an error message: shortened, and without control characters that would act on a terminal. */
export function printName(name: string): string {
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name
  return JSON.stringify(shown)
}
