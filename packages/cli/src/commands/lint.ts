import { stripVTControlCharacters } from 'node:util'
import { findArchiveSource } from '@tutti/client'
import type { LintFinding } from '@tutti/worker'
import { Option } from 'commander'
import { UsageError } from '../errors/usage-error.ts'
import type { Style } from '../output/style.ts'
import type { CommandDefinition } from './command.ts'

/** `tutti blueprints lint`: works on files alone, without a manager. */
export const lint: CommandDefinition = {
  usage: 'lint <path>',
  description: 'Find mistakes in a blueprint on this machine: its folder or its main file',
  examples: ['tutti blueprints lint ./web', 'tutti blueprints lint ./web/app.yaml --json'],
  options: [new Option('-n, --main-file <name>', 'main file of the blueprint (default: blueprint.yaml)')],
  run: async ({ printer }, [path = ''], options) => {
    const source = await findArchiveSource(path)
    if (source.kind === 'archive') {
      throw new UsageError(
        `${path} is an archive`,
        'Unpack it first, or check it with: tutti blueprints validate',
      )
    }
    const mainFile = options.text('mainFile') ?? source.mainFile ?? 'blueprint.yaml'
    // Loaded here: the other commands need no parser.
    const { lintFolder } = await import('@tutti/worker')
    const findings = await lintFolder({ folder: source.path, mainFile }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
        throw new UsageError(`There is no ${mainFile} in ${source.path}`, 'Name the main file with -n')
      },
    )
    const errors = findings.filter(({ severity }) => severity === 'error').length
    const lines = findings.map((finding) => renderFinding(finding, printer.style))
    printer.value(findings, [...lines, summary(errors, findings.length - errors, mainFile)].join('\n\n'))
    return errors === 0 ? 0 : 1
  },
}

function summary(errors: number, warnings: number, mainFile: string): string {
  const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`
  if (errors + warnings === 0) return `${mainFile}: no mistakes found`
  return [
    ...(errors > 0 ? [count(errors, 'error')] : []),
    ...(warnings > 0 ? [count(warnings, 'warning')] : []),
  ].join(', ')
}

/** `FILE:LINE:COLUMN severity: MESSAGE`, the line with a caret, and what would have been right. */
export function renderFinding(finding: LintFinding, style: Style): string {
  const { severity, file, line, column, sourceLine, message, code } = finding
  const place = [file, line, column === null ? null : column + 1].filter((part) => part !== null).join(':')
  const colour = severity === 'error' ? 'red' : 'yellow'
  const label = style(colour, code === null ? severity : `${severity} ${code}`)
  const rows = [`${style('bold', place)} ${label}: ${message.trim()}`]
  if (sourceLine !== null && line !== null) {
    const margin = `${line} | `
    rows.push(`  ${style('gray', margin)}${stripVTControlCharacters(sourceLine).replaceAll('\t', ' ')}`)
    if (column !== null) rows.push(`  ${' '.repeat(margin.length + column)}${style(colour, '^')}`)
  }
  if (finding.path !== '') rows.push(`  in ${finding.path}`)
  if (finding.expected !== undefined) rows.push(`  expected: ${finding.expected}`)
  if (finding.suggestion !== undefined) rows.push(`  did you mean: ${finding.suggestion}`)
  return rows.join('\n')
}
