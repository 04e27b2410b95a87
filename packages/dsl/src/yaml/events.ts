import { type Event, parseEvents, YAMLException } from 'js-yaml'
import { formatError } from '../diagnostic.ts'
import { paddedAt, placeOf, type Source } from './source.ts'

/** Nesting of collections. Far above what blueprints need, far below what a stack holds. */
const MAX_DEPTH = 100
/** Lines of one file that are indented on the author's behalf; each costs another scan. */
const MAX_PADDED_LINES = 200

/**
 * The events of a file. A flow collection or a quoted text may go on at any indentation in YAML 1.1; js-yaml
 * wants it deeper than its parent, so such a line is indented, which changes nothing else.
 */
export function eventsOf(original: Source): { readonly source: Source; readonly events: readonly Event[] } {
  let source = original
  for (;;) {
    try {
      return { source, events: parseEvents(source.text, { filename: source.address, maxDepth: MAX_DEPTH }) }
    } catch (error) {
      if (!(error instanceof YAMLException)) throw error
      const position = error.mark?.position ?? 0
      const place = placeOf(source, position)
      const isShallow = error.reason === 'deficient indentation' && !source.padded.has(place.line)
      if (!isShallow || source.padded.size >= MAX_PADDED_LINES) {
        throw formatError(-1, `Illegal YAML: ${error.reason}.`, { place })
      }
      source = paddedAt(source, place.line)
    }
  }
}
