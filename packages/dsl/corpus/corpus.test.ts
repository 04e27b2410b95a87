import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { checkCase, isUnrecorded } from './check-case.ts'
import { DELIBERATE } from './deliberate.ts'
import { corpusFor, readCases } from './load.ts'

const here = dirname(fileURLToPath(import.meta.url))
const folder = join(here, 'cases')
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.jsonl.br'))
  .map((name) => join(folder, name))

describe.each(files)('the cases of %s', (file) => {
  test('give what was recorded', async () => {
    const corpus = corpusFor([file])
    const differences: unknown[] = []
    for (const case_ of readCases(file)) {
      if (DELIBERATE.has(case_.id)) continue
      const difference = await checkCase(case_, corpus)
      if (difference !== null && !isUnrecorded(case_)) differences.push({ id: case_.id, ...difference })
    }
    expect(differences).toEqual([])
  })
})
