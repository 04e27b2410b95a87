import { constants, deflateRawSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  blueprintArchive,
  blueprintEntries,
  blueprintText,
  paxEntry,
  tarOf,
  zipOf,
} from '../../../test/archives.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

let system: TestSystem
beforeAll(async () => {
  system = await startTestSystem({
    maxArchiveBytes: 20_000_000,
    maxUnpackedBytes: 5_000_000,
    maxUnpackedEntries: 500,
  })
})
afterAll(() => system.close())

let next = 0
const newId = () => `bp${next++}`
const main = blueprintEntries(blueprintText())

/** 90 MB of zeros in 82 bytes. */
const zerosBz2 = Buffer.from(
  'QlpoOTFBWSZTWQ4J4t8BX45AAMAAAAggADCATUZCoCWpCoCXMUFZJlNZVBeWigFRyFAAwAAAIAAIIAAwzAUppgioSbEIqEni7kinChIJAIpmgA==',
  'base64',
)

const tenGigabytes = 10_000_000_000

/** 10 GB of zeros behind these bytes, as a gzip file of many members. */
function gzipOfZeros(start: Uint8Array): Buffer {
  const megabytes = 50
  const member = gzipSync(Buffer.alloc(megabytes * 1_000_000), { level: 9 })
  const count = tenGigabytes / (megabytes * 1_000_000)
  return Buffer.concat([gzipSync(start), ...Array.from({ length: count }, () => member)])
}

/** A zip whose one file is 10 GB of zeros, and says that it has these many bytes. */
function zipOfZeros(claimedSize: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(50_000_000), { level: 9, finishFlush: constants.Z_FULL_FLUSH })
  const packed = Buffer.concat([...Array.from({ length: 200 }, () => block), deflateRawSync('')])
  const zip = zipOf(...main, { name: 'bp/zeros', content: 'x', claimedSize })
  // The stored file's bytes are put in the place of the one byte's.
  return withContent(zip, deflateRawSync('x'), packed)
}

function withContent(zip: Buffer, old: Buffer, content: Buffer): Buffer {
  const at = zip.lastIndexOf(Buffer.concat([Buffer.from('bp/zeros'), old])) + 'bp/zeros'.length
  const grown = content.length - old.length
  const result = Buffer.concat([zip.subarray(0, at), content, zip.subarray(at + old.length)])
  const central = result.lastIndexOf('PK\x01\x02')
  result.writeUInt32LE(content.length, central + 20)
  result.writeUInt32LE(content.length, at - 'bp/zeros'.length - 12)
  const end = result.lastIndexOf('PK\x05\x06')
  result.writeUInt32LE(result.readUInt32LE(end + 16) + grown, end + 16)
  return result
}

const dropped = gzipSync(Buffer.from(Array.from({ length: 5_000 }, (_, index) => (index * 7919) % 251)))

test.each<[string, () => Uint8Array, string]>([
  ['a gzip file that was cut off', () => blueprintArchive().subarray(0, 60), 'damaged or was cut off'],
  ['a zip that was cut off', () => zipOf(...main).subarray(0, 150), ''],
  ['a tar that was cut off', () => tarOf(...main).subarray(0, 600), ''],
  ['a gzip file that holds no tar', () => dropped, ''],
  ['10 GB of zeros as gzip', () => gzipOfZeros(tarOf(...main).subarray(0, 1024)), 'the limit'],
  [
    '10 GB of zeros as a file in a tar.gz',
    () => gzipOfZeros(tarOf({ name: 'bp/zeros', content: '', claimedSize: 8_000_000_000 }).subarray(0, 512)),
    'the limit',
  ],
  ['10 GB of zeros as zip', () => zipOfZeros(tenGigabytes % 2 ** 32), 'the limit'],
  ['10 GB of zeros as zip that says it has 1 byte', () => zipOfZeros(1), ''],
  ['10 GB of zeros as bzip2', () => Buffer.concat(Array.from({ length: 112 }, () => zerosBz2)), 'the limit'],
  ['too many files', () => gzipSync(tarOf(...many(501))), 'more than 500 files'],
  ['a path that leads out', () => gzipSync(tarOf(...main, { name: 'bp/../../evil', content: 'x' })), '`..`'],
  ['a path that leads out, in a pax header', () => tarOf(...main, ...paxEntry('../evil', 'x')), '`..`'],
  ['an absolute path', () => zipOf(...main, { name: '/tmp/evil', content: 'x' }), ''],
  [
    'a symbolic link',
    () => gzipSync(tarOf(...main, { name: 'bp/link', type: '2', linkTo: '/etc/passwd' })),
    'a link',
  ],
  [
    'a hard link',
    () => gzipSync(tarOf(...main, { name: 'bp/link', type: '1', linkTo: '/etc/passwd' })),
    'a link',
  ],
  [
    'a symbolic link in a zip',
    () => zipOf(...main, { name: 'bp/l', content: '/etc', mode: 0o120777 }),
    'a link',
  ],
  [
    'a device',
    () => gzipSync(tarOf(...main, { name: 'bp/null', type: '3' })),
    'neither a file nor a directory',
  ],
  [
    'two folders',
    () => gzipSync(tarOf(...main, { name: 'other/file', content: 'x' })),
    'Archive must contain exactly 1 directory',
  ],
  ['no folder', () => gzipSync(tarOf({ name: 'blueprint.yaml', content: 'x' })), 'exactly 1 directory'],
  ['nothing in it', () => zipOf(), 'exactly 1 directory'],
  [
    'no main file',
    () => gzipSync(tarOf({ name: 'bp/other.yaml', content: 'x' })),
    'blueprint.yaml does not exist in the application directory',
  ],
  [
    'a folder in the place of the main file',
    () => gzipSync(tarOf({ name: 'bp/blueprint.yaml/x', content: 'x' })),
    'blueprint.yaml does not exist in the application directory',
  ],
])('an archive with %s is not extracted', async (_what, archive, why) => {
  const id = newId()
  const before = process.memoryUsage().rss
  const answer = await system.send('PUT', `/blueprints/${id}`, { body: archive() })
  expect(answer).toMatchObject({ status: 400, body: { error_code: 'invalid_blueprint_error' } })
  expect(answer.body.message).toMatch(new RegExp(`^Blueprint \`${id}\` has failed extracting. Error: `))
  expect(answer.body.message).toContain(why)
  const { body } = await system.inject('GET', `/blueprints/${id}`)
  expect(body).toMatchObject({
    state: 'failed_extracting',
    plan: null,
    upload_execution: { status: 'failed' },
  })
  expect(body.error).toContain(why)
  expect(body.upload_execution.error).toBe(body.error)
  expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000)
})

function many(count: number) {
  return Array.from({ length: count }, (_, index) => ({ name: `bp/${index}`, content: '' }))
}

test.each<[string, Uint8Array]>([
  ['text', Buffer.from('tosca_definitions_version: cloudify_dsl_1_5\n')],
  ['zeros', Buffer.alloc(10_000)],
  ['one byte', Buffer.from('P')],
  ['a PNG', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')],
  ['a zip with something before it', Buffer.concat([Buffer.from('x'), zipOf(...main)])],
])('%s is no archive: the upload failed, and makes way for another', async (_what, bytes) => {
  const id = newId()
  const answer = await system.send('PUT', `/blueprints/${id}`, { body: bytes })
  const message = expect.stringContaining('Supported formats are: zip, tar')
  expect(answer).toMatchObject({ status: 400, body: { error_code: 'bad_parameters_error', message } })
  expect((await system.inject('GET', `/blueprints/${id}`)).body).toMatchObject({
    state: 'failed_uploading',
    error: message,
    plan: null,
    upload_execution: { id: null },
  })
  await system.upload(id)
  expect((await system.send('PUT', `/blueprints/${id}`, { body: bytes })).status).toBe(409)
  expect((await system.inject('GET', `/blueprints/${id}`)).body.state).toBe('uploaded')
})

test.each<[string, string, string, readonly string[]]>([
  ['no YAML', 'a: [1', 'invalid', ['Invalid blueprint - ', 'blueprint.yaml', 'line: ']],
  ['no mapping', '- a', 'invalid', ['Invalid blueprint - ']],
  ['no version', 'imports: []', 'invalid', ['Invalid blueprint - ', 'tosca_definitions_version']],
  ['an unknown section', blueprintText({ nodes: {} }), 'invalid', ['Invalid blueprint - ', 'nodes']],
  [
    'an unknown type',
    'tosca_definitions_version: cloudify_dsl_1_5\nimports: [cloudify/types/types.yaml]\nnode_templates:\n  a:\n    type: nope.Node\n',
    'invalid',
    ['Invalid blueprint - ', 'nope.Node', 'blueprint.yaml', 'line: 5'],
  ],
  [
    'an import of nothing',
    blueprintText({ imports: ['nothing.yaml'] }),
    'invalid',
    ['Invalid blueprint - ', 'nothing.yaml'],
  ],
  [
    'an input default against its constraint',
    blueprintText({ inputs: { a: { default: 1, constraints: [{ greater_than: 5 }] } } }),
    'failed_parsing',
    ['Failed parsing blueprint - '],
  ],
  [
    'an unknown input in a function',
    blueprintText({ outputs: { a: { value: { get_input: 'nope' } } } }),
    'failed_parsing',
    ['Failed parsing blueprint - ', 'nope'],
  ],
  [
    'reserved labels',
    blueprintText({ blueprint_labels: { 'csys-mine': { values: ['x'] } } }),
    'invalid',
    ['Invalid blueprint - ', 'csys-'],
  ],
])('a blueprint with %s says so', async (_what, text, state, parts) => {
  const id = newId()
  const answer = await system.send('PUT', `/blueprints/${id}`, { body: blueprintArchive(text) })
  expect(answer).toMatchObject({ status: 400, body: { error_code: 'invalid_blueprint_error' } })
  const is = state === 'invalid' ? 'is invalid.' : 'has failed parsing.'
  expect(answer.body.message).toMatch(new RegExp(`^Blueprint \`${id}\` ${is} Error: ${parts[0]}`))
  const { body } = await system.inject('GET', `/blueprints/${id}`)
  expect(body).toMatchObject({ state, plan: null })
  for (const part of parts) expect(body.error).toContain(part)
  // Neither our folders nor the places of our code are the author's affair.
  expect(body.error).not.toMatch(/\/tmp\/|node_modules|packages\/|\.ts:\d/)
})

test('a blueprint nested without end is refused, and the worker goes on', async () => {
  const id = newId()
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
  const text = `tosca_definitions_version: cloudify_dsl_1_5\nmetadata:\n  a: ${deep}\n`
  const answer = await system.send('PUT', `/blueprints/${id}`, { body: blueprintArchive(text) })
  expect(answer).toMatchObject({ status: 400, body: { error_code: 'invalid_blueprint_error' } })
  await system.upload(newId())
})
