/** Patterns up to this length are searched by the engine: it then compares as many characters at most at each place. */
const SHORT = 32

/**
 * Where `part` stands in `text`, without overlaps, up to `most` places. In linear time: the engine's own search takes
 * minutes for texts of some megabytes that nearly fit everywhere.
 */
export function placesOf(part: string, text: string, most: number): number[] {
  return part.length <= SHORT ? shortPlaces(part, text, most) : longPlaces(part, text, most)
}

function shortPlaces(part: string, text: string, most: number): number[] {
  const places: number[] = []
  let at = text.indexOf(part)
  while (at !== -1 && places.length < most) {
    places.push(at)
    at = text.indexOf(part, at + part.length)
  }
  return places
}

/** Knuth, Morris and Pratt: after a mismatch goes on with the longest beginning of `part` that still fits. */
function longPlaces(part: string, text: string, most: number): number[] {
  const places: number[] = []
  const shorter = beginnings(part)
  let fitting = 0
  for (let at = 0; at < text.length && places.length < most; at += 1) {
    const code = text.charCodeAt(at)
    while (fitting > 0 && part.charCodeAt(fitting) !== code) fitting = shorter[fitting - 1] ?? 0
    if (part.charCodeAt(fitting) === code) fitting += 1
    if (fitting < part.length) continue
    places.push(at + 1 - part.length)
    fitting = 0
  }
  return places
}

/** For each length of a beginning of `part`: the longest shorter one that it ends with. */
function beginnings(part: string): Uint32Array {
  const longest = new Uint32Array(part.length)
  let fitting = 0
  for (let at = 1; at < part.length; at += 1) {
    const code = part.charCodeAt(at)
    while (fitting > 0 && part.charCodeAt(fitting) !== code) fitting = longest[fitting - 1] ?? 0
    if (part.charCodeAt(fitting) === code) fitting += 1
    longest[at] = fitting
  }
  return longest
}
