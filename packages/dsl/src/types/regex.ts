/** Escapes of letters and digits that Python knows; any other letter is an error there. */
const KNOWN_ESCAPES = /^[AbBdDsSwWZafnrtvxuUN0-9\\]$/

/**
 * A Python regular expression as JavaScript's, tested from the start of the text as `re.match` does
 * (dsl.md 7.2); null when Python would not compile it.
 */
export function pythonRegex(pattern: string): RegExp | null {
  let flags = 'y'
  let rest = pattern
  const inline = /^\(\?([aiLmsux]+)\)/.exec(rest)
  if (inline !== null) {
    for (const flag of inline[1] ?? '') if ('ims'.includes(flag)) flags += flag
    rest = rest.slice(inline[0].length)
  }
  const translated = translate(rest, flags.includes('m'))
  if (translated === null) return null
  try {
    return new RegExp(translated, flags)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

export function matchesFromStart(regex: RegExp, text: string): boolean {
  regex.lastIndex = 0
  return regex.test(text)
}

function translate(pattern: string, multiline: boolean): string | null {
  let result = ''
  let inClass = false
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] ?? ''
    if (char === '\\') {
      const next = pattern[at + 1]
      if (next === undefined) return null
      if (/[a-zA-Z0-9]/.test(next) && !KNOWN_ESCAPES.test(next)) return null
      result +=
        next === 'A' ? '(?<![\\s\\S])' : next === 'Z' ? '(?![\\s\\S])' : next === 'a' ? '\\x07' : `\\${next}`
      at += 1
    } else if (inClass) {
      if (char === ']') inClass = false
      result += char
    } else if (char === '[') {
      inClass = true
      // A bracket right after the opening one stands for itself.
      const literal = /^\[(\^?)\]/.exec(pattern.slice(at))
      result += literal === null ? '[' : `[${literal[1]}\\]`
      if (literal !== null) at += literal[0].length - 1
    } else if (char === '$' && !multiline) {
      result += '(?=\\n?(?![\\s\\S]))'
    } else if (pattern.startsWith('(?P<', at)) {
      result += '(?<'
      at += 3
    } else if (pattern.startsWith('(?P=', at)) {
      const close = pattern.indexOf(')', at)
      if (close === -1) return null
      result += `\\k<${pattern.slice(at + 4, close)}>`
      at = close
    } else if (pattern.startsWith('(?#', at)) {
      const close = pattern.indexOf(')', at)
      if (close === -1) return null
      at = close
    } else {
      result += char
    }
  }
  return inClass ? null : result
}
