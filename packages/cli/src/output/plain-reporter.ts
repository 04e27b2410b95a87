import type { Environment } from '../environment.ts'
import { renderEvent } from './event-line.ts'
import type { Reporter } from './reporter.ts'
import { styleFor } from './style.ts'

/** For logs and pipes: a line for everything, with full times, nothing ever rewritten. */
export function plainReporter(environment: Environment): Reporter {
  const { stdout } = environment
  const style = styleFor(stdout, environment)
  const line = (text: string) => stdout.write(`${text}\n`)
  return {
    step: async (text, run) => {
      line(`${text} …`)
      const result = await run()
      line(`${text}: done`)
      return result
    },
    event: (event) => line(renderEvent(event, style, 'full')),
    progress: () => {},
    note: line,
    result: (_result, text) => line(text),
  }
}
