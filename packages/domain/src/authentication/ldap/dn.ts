/** Distinguished names (RFC 4514): writing values into them, and telling whether two are the same. */

export function escapeDnValue(value: string): string {
  return value
    .replaceAll(/[\\,+"<>;=#]/g, (character) => `\\${character}`)
    .replaceAll('\0', '\\00')
    .replaceAll(/^ | $/g, '\\ ')
}

/** `example.org` is `dc=example,dc=org`. */
export const domainDn = (domain: string): string =>
  domain
    .split('.')
    .map((label) => `dc=${label}`)
    .join(',')

/**
 * A text that is equal for two names of the same entry, however they are written: case, spaces around separators and
 * ways of escaping do not count.
 */
export function dnKey(dn: string): string {
  const parts: string[] = []
  // Bytes, since an escape stands for one byte of UTF-8. Spaces that an escape keeps are told from those that end a part.
  let bytes: number[] = []
  let kept = 0
  const end = () => {
    while (bytes.length > kept && bytes.at(-1) === space) bytes.pop()
    parts.push(Buffer.from(bytes).toString('utf8').toLowerCase())
    bytes = []
    kept = 0
  }
  for (let at = 0; at < dn.length; at += 1) {
    const character = String.fromCodePoint(dn.codePointAt(at) ?? 0)
    const escaped = character === '\\' ? /^(?:[\da-f]{2}|.)/isu.exec(dn.slice(at + 1))?.[0] : undefined
    if (escaped !== undefined) {
      bytes.push(
        ...(/^[\da-f]{2}$/i.test(escaped) ? [Number.parseInt(escaped, 16)] : Buffer.from(escaped, 'utf8')),
      )
      kept = bytes.length
      at += escaped.length
    } else if (/[,;+=]/.test(character)) {
      end()
      parts.push(character === ';' ? ',' : character)
    } else if (character !== ' ' || bytes.length > 0) {
      bytes.push(...Buffer.from(character, 'utf8'))
      at += character.length - 1
    }
  }
  end()
  return JSON.stringify(parts)
}

const space = 0x20
