import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'
import { TYPE_FILES, typeFileUrl } from '../src/resources.ts'
import type { CorpusCase, ParseCase } from './case.ts'
import type { Corpus } from './check-case.ts'

/** Cases of a JSON Lines file, plain or compressed (`.br`). */
export function readCases(file: string): readonly CorpusCase[] {
  const bytes = readFileSync(file)
  const text = (file.endsWith('.br') ? brotliDecompressSync(bytes) : bytes).toString('utf8')
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(readCase)
}

function readCase(line: string): CorpusCase {
  const case_ = JSON.parse(line) as CorpusCase & { text?: string }
  if (case_.text !== undefined || case_.kind === 'deploy') return case_
  throw new Error(`neither a parse nor a deploy case: ${line.slice(0, 80)}`)
}

/** The types files, and the parse cases that stand beside the given files. */
export function corpusFor(files: readonly string[]): Corpus {
  const parseCases = new Map<string, ParseCase>()
  for (const folder of new Set(files.map((file) => dirname(file)))) {
    for (const name of readdirSync(folder)) {
      if (!/^(?:parse|own).*\.jsonl(?:\.br)?$/.test(name)) continue
      for (const case_ of readCases(join(folder, name)))
        if (case_.kind !== 'deploy') parseCases.set(case_.id, case_)
    }
  }
  const resources = new Map<string, string>()
  for (const path of TYPE_FILES) {
    const file = fileURLToPath(typeFileUrl(path))
    if (existsSync(file)) resources.set(path, readFileSync(file, 'utf8'))
  }
  return { resources, parseCases }
}
