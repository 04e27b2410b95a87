// npm run corpus -- FILE…: what the language gives differently from the recorded cases.
import { checkCase, isUnrecorded } from './check-case.ts'
import { DELIBERATE } from './deliberate.ts'
import { corpusFor, readCases } from './load.ts'

const files = process.argv.slice(2)
if (files.length === 0) {
  console.error('usage: npm run corpus -- FILE… (JSON Lines, plain or .br)')
  process.exit(2)
}
const corpus = corpusFor(files)
let passed = 0
let failed = 0
const deliberate: string[] = []
const unrecorded: string[] = []
for (const file of files) {
  for (const case_ of readCases(file)) {
    if (DELIBERATE.has(case_.id)) {
      deliberate.push(case_.id)
      continue
    }
    const difference = await checkCase(case_, corpus)
    if (difference === null) {
      passed += 1
      continue
    }
    if (isUnrecorded(case_)) {
      unrecorded.push(case_.id)
      continue
    }
    failed += 1
    console.log(JSON.stringify({ id: case_.id, kind: case_.kind, ...difference }))
  }
}
if (deliberate.length > 0)
  console.log(`${deliberate.length} differ on purpose (deliberate.ts): ${deliberate.join(', ')}`)
if (unrecorded.length > 0) {
  console.log(
    `${unrecorded.length} not judged, as the text of a plugin or blueprint that they import was not recorded: ${unrecorded.join(', ')}`,
  )
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
