// npm run corpus -- FILE…: what the language gives differently from the recorded cases.
import { checkCase, isUnrecorded } from './check-case.ts'
import { DELIBERATE } from './deliberate.ts'
import { corpusFor, readCases } from './load.ts'

const files = process.argv.slice(2)
if (files.length === 0) {
  console.error('usage: npm run corpus -- FILE… (JSON Lines, plain or .gz)')
  process.exit(2)
}
const corpus = corpusFor(files)
let passed = 0
let failed = 0
let skipped = 0
for (const file of files) {
  for (const case_ of readCases(file)) {
    if (DELIBERATE.has(case_.id)) {
      skipped += 1
      continue
    }
    const difference = await checkCase(case_, corpus)
    if (difference === null) {
      passed += 1
      continue
    }
    if (isUnrecorded(case_)) {
      skipped += 1
      continue
    }
    failed += 1
    console.log(JSON.stringify({ id: case_.id, kind: case_.kind, ...difference }))
  }
}
if (skipped > 0) console.log(`${skipped} not judged: see deliberate.ts, or text not recorded`)
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
