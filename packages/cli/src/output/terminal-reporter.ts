import type { Execution } from '@tutti/api'
import type { Environment } from '../environment.ts'
import { renderEvent } from './event-line.ts'
import type { Reporter } from './reporter.ts'
import { type Style, styleFor } from './style.ts'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const
const frameMs = 100
const eraseLine = '\r\u001b[2K'

/** Lines that scroll, and below them one status line that is rewritten while something goes on. */
export function terminalReporter(environment: Environment, hint: string): Reporter {
  const { stdout } = environment
  const style = styleFor(stdout, environment)
  let status: ((frame: string) => string) | undefined
  let frame = 0
  let timer: NodeJS.Timeout | undefined

  const draw = () => {
    if (status === undefined) return
    const text = status(frames[frame % frames.length] ?? '')
    stdout.write(`${eraseLine}${text.slice(0, (stdout.columns ?? 80) - 1)}`)
  }
  const line = (text: string) => {
    stdout.write(`${status === undefined ? '' : eraseLine}${text}\n`)
    draw()
  }
  const show = (next: ((frame: string) => string) | undefined) => {
    if (status !== undefined && next === undefined) stdout.write(eraseLine)
    status = next
    if (next === undefined) {
      clearInterval(timer)
      timer = undefined
      return
    }
    draw()
    timer ??= setInterval(() => {
      frame += 1
      draw()
    }, frameMs).unref()
  }
  const secondsSince = (start: Date) => ((environment.now().getTime() - start.getTime()) / 1000).toFixed(1)

  return {
    step: async (text, run) => {
      const start = environment.now()
      show((spinner) => `${spinner} ${text} …`)
      try {
        const result = await run()
        show(undefined)
        line(`${style('green', '✔')} ${text} ${style('gray', `${secondsSince(start)} s`)}`)
        return result
      } catch (error) {
        show(undefined)
        line(`${style('red', '✘')} ${text}`)
        throw error
      }
    },
    event: (event) => line(renderEvent(event, style, 'short')),
    progress: (execution) =>
      show(
        execution === undefined ? undefined : (spinner) => `${spinner} ${progressText(execution)}  ${hint}`,
      ),
    note: line,
    result: (_result, text) => line(mark(text, style)),
  }
}

/** The length of the status line is cut by characters, so it carries no colours. */
function progressText(execution: Execution): string {
  const { workflow_id, deployment_id, status, total_operations: total, finished_operations: done } = execution
  const share = total === 0 ? 0 : Math.min(1, done / total)
  const bar = '█'.repeat(Math.round(share * 20)).padEnd(20, '░')
  const count = total === 0 ? '' : `  ${bar} ${done}/${total} operations`
  return `${workflow_id} ${deployment_id ?? ''}  ${status}${count}`
}

const mark = (text: string, style: Style): string => `${style('green', '✔')} ${text}`
