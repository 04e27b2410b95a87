import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { paxEntry, type TarEntry, tarOf, type ZipEntry, zipOf } from '../../test/hostile-archives.ts'
import { bunzip } from './bunzip.ts'
import { gunzip } from './gunzip.ts'
import { type UnpackOptions, unpackArchive } from './index.ts'

let base: string
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'tutti-unpack-'))
})
afterEach(async () => await rm(base, { recursive: true, force: true }))

const limits: UnpackOptions = { maxEntries: 100, maxBytes: 1_000_000, topLevel: 'one directory' }

async function unpack(bytes: Uint8Array, options: Partial<UnpackOptions> = {}) {
  await writeFile(join(base, 'archive'), bytes)
  return await unpackArchive(join(base, 'archive'), join(base, 'out'), { ...limits, ...options })
}

/** Refused with the code, and nothing but the archive is there afterwards. */
async function expectRefused(
  bytes: Uint8Array,
  code: string,
  message = '',
  options: Partial<UnpackOptions> = {},
) {
  await expect(unpack(bytes, options)).rejects.toMatchObject({
    name: 'UnpackError',
    code,
    message: expect.stringContaining(message),
  })
  expect(await readdir(base)).toEqual(['archive'])
}

const blueprint: TarEntry & ZipEntry = { name: 'bp/blueprint.yaml', content: 'tosca: 1\n'.repeat(3) }
const script: TarEntry & ZipEntry = { name: 'bp/scripts/run.sh', content: '#!/bin/sh\n', mode: 0o100755 }

/** `tar cj` of bp/blueprint.yaml and bp/run.sh (mode 0755), made with Python's tarfile. */
const tarBz2 = Buffer.from(
  'QlpoOTFBWSZTWde6rQoAAJZ/gcqQBABoAf+QAACAgHpn3iAQAAgIIACUCSSEPSaA0ZBkxDJ+lBKKCYCYNAAmAmeZ5fRtRX1ABXURBCY3GMhBxkhC' +
    'PiCCgMqYmVqrl70szJrTaCiMCLr5hFc9CbtvhygNzn6XbLymLYJgyT1mJhJ1JjPF4VUOUqceguqknhE9bjQyfjIjYJB/F3JFOFCQ17qtCg==',
  'base64',
)
/** 90 MB of zeros in 82 bytes. */
const zerosBz2 = Buffer.from(
  'QlpoOTFBWSZTWQ4J4t8BX45AAMAAAAggADCATUZCoCWpCoCXMUFZJlNZVBeWigFRyFAAwAAAIAAIIAAwzAUppgioSbEIqEni7kinChIJAIpmgA==',
  'base64',
)

test.each([
  ['zip', zipOf(blueprint, script)],
  ['tar', tarOf(blueprint, script)],
  ['tar.gz', gzipSync(tarOf(blueprint, script))],
] as const)('a %s comes out as it went in, whatever the file is called', async (format, bytes) => {
  expect(await unpack(bytes)).toEqual({ format, directory: 'bp' })
  expect(await readFile(join(base, 'out/bp/blueprint.yaml'), 'utf8')).toBe(blueprint.content)
  expect((await stat(join(base, 'out/bp/scripts/run.sh'))).mode & 0o111).not.toBe(0)
  expect((await stat(join(base, 'out/bp/blueprint.yaml'))).mode & 0o111).toBe(0)
  expect((await readdir(base)).sort()).toEqual(['archive', 'out'])
})

test('a tar.bz2 comes out as it went in', async () => {
  expect(await unpack(tarBz2)).toEqual({ format: 'tar.bz2', directory: 'bp' })
  expect(await readFile(join(base, 'out/bp/blueprint.yaml'), 'utf8')).toBe(blueprint.content)
  expect((await stat(join(base, 'out/bp/run.sh'))).mode & 0o111).not.toBe(0)
  expect((await readdir(base)).sort()).toEqual(['archive', 'out'])
})

test('what packers add is taken: `./` entries, long names, empty files and directories, repeated entries', async () => {
  const long = `${'d'.repeat(120)}/${'f'.repeat(120)}`
  const bytes = tarOf(
    { name: './', type: '5' },
    { name: './bp/', type: '5', mode: 0o755 },
    { name: './bp/empty' },
    { name: 'bp//nothing/', type: '5' },
    ...paxEntry(`bp/${long}`, 'long'),
    { name: 'bp/twice', content: 'older' },
    { name: 'bp/twice', content: 'newer' },
  )
  expect(await unpack(bytes)).toEqual({ format: 'tar', directory: 'bp' })
  expect((await readdir(join(base, 'out/bp'))).sort()).toEqual(['d'.repeat(120), 'empty', 'nothing', 'twice'])
  expect(await readFile(join(base, 'out/bp', long), 'utf8')).toBe('long')
  expect(await readFile(join(base, 'out/bp/twice'), 'utf8')).toBe('newer')
})

test('large files of many chunks come through each format', async () => {
  const content = Buffer.alloc(900_000, 'The quick brown fox. ')
  for (const bytes of [
    zipOf({ name: 'bp/large', content }),
    tarOf({ name: 'bp/large', content }, { name: 'bp/next', content: 'next' }),
    gzipSync(tarOf({ name: 'bp/large', content })),
  ]) {
    await unpack(bytes)
    expect(content.equals(await readFile(join(base, 'out/bp/large')))).toBe(true)
    await rm(join(base, 'out'), { recursive: true })
  }
})

test('paths that lead out, or are no paths, are refused', async () => {
  for (const name of ['../evil', 'bp/../../evil', '/etc/evil', 'bp/..', '..']) {
    await expectRefused(tarOf(blueprint, { name, content: 'evil' }), 'unsafe_path', JSON.stringify(name))
    await expectRefused(zipOf(blueprint, { name, content: 'evil' }), 'unsafe_path', JSON.stringify(name))
  }
  await expectRefused(zipOf(blueprint, { name: '..\\evil' }), 'unsafe_path', '../evil')
  await expectRefused(zipOf(blueprint, { name: 'bp/a\0b' }), 'unsafe_path', 'NUL')
  await expectRefused(zipOf({ name: `bp/${'x'.repeat(256)}` }), 'unsafe_path', '255 bytes')
  await expectRefused(zipOf({ name: `bp/${'x/'.repeat(2000)}y` }), 'unsafe_path', '3072 bytes')
})

test('no name in any archive leads outside the folder', async () => {
  const part = fc.oneof(
    fc.constantFrom('..', '.', '', '/', 'bp', 'a', '\\', '\0', 'C:'),
    fc.string({ maxLength: 5 }),
  )
  const name = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('/'))
  await fc.assert(
    fc.asyncProperty(fc.array(name, { minLength: 1, maxLength: 4 }), async (names) => {
      const bytes = zipOf(...names.map((each) => ({ name: each, content: 'x' })))
      await unpack(bytes, { topLevel: 'anything' }).catch((error: Error) => {
        expect(error.name).toBe('UnpackError')
      })
      const left = (await readdir(base)).filter((found) => found !== 'archive' && found !== 'out')
      expect(left).toEqual([])
      await rm(join(base, 'out'), { recursive: true, force: true })
    }),
    { numRuns: 200 },
  )
})

test('links, devices and pipes are refused', async () => {
  const outside = { name: 'bp/link', linkTo: '/etc' }
  await expectRefused(tarOf({ ...outside, type: '2' }), 'unsafe_entry', 'is a link')
  await expectRefused(
    tarOf({ ...outside, type: '2' }, { name: 'bp/link/passwd' }),
    'unsafe_entry',
    'is a link',
  )
  await expectRefused(tarOf({ ...outside, type: '1' }), 'unsafe_entry', 'is a link')
  await expectRefused(
    zipOf({ name: 'bp/link', content: '/etc', mode: 0o120777 }),
    'unsafe_entry',
    'is a link',
  )
  await expectRefused(
    tarOf({ name: 'bp/device', type: '3' }),
    'unsafe_entry',
    'neither a file nor a directory',
  )
  await expectRefused(tarOf({ name: 'bp/pipe', type: '6' }), 'unsafe_entry')
  await expectRefused(zipOf({ name: 'bp/pipe', mode: 0o010644 }), 'unsafe_entry')
})

test('one path as file and as directory is refused', async () => {
  const [file, below] = [{ name: 'bp/a', content: 'file' }, { name: 'bp/a/b' }]
  for (const pack of [tarOf, zipOf]) {
    await expectRefused(pack(file, below), 'conflicting_entries', '"bp/a"')
    await expectRefused(pack(below, file), 'conflicting_entries', '"bp/a"')
  }
})

test('the top level must be exactly one directory, unless anything is asked for', async () => {
  const message = 'Archive must contain exactly 1 directory'
  await expectRefused(tarOf({ name: 'blueprint.yaml' }), 'not_one_directory', message)
  await expectRefused(tarOf(blueprint, { name: 'README' }), 'not_one_directory', message)
  await expectRefused(zipOf(blueprint, { name: 'other/x' }), 'not_one_directory', '"bp", "other"')
  await expectRefused(tarOf(), 'not_one_directory', 'has nothing')
  await expectRefused(zipOf(), 'not_one_directory', 'has nothing')
  expect(await unpack(zipOf(blueprint, { name: 'README' }), { topLevel: 'anything' })).toMatchObject({
    directory: undefined,
  })
})

test('too many entries are refused; directories that are only named in paths count', async () => {
  const many = Array.from({ length: 101 }, (_, index) => ({ name: `bp/${index}` }))
  await expectRefused(tarOf(...many), 'too_many_entries', '100')
  await expectRefused(zipOf(...many), 'too_many_entries', '100')
  await expectRefused(zipOf({ name: `bp/${'d/'.repeat(150)}` }), 'too_many_entries', '100')
})

test('more bytes than allowed are refused, whether they are claimed or not', async () => {
  const large = { name: 'bp/large', content: Buffer.alloc(1_000_001) }
  for (const bytes of [tarOf(large), gzipSync(tarOf(large)), zipOf(large)])
    await expectRefused(bytes, 'too_large')
  const half = Buffer.alloc(600_000)
  await expectRefused(zipOf({ name: 'bp/a', content: half }, { name: 'bp/b', content: half }), 'too_large')
  await expectRefused(zipOf({ ...large, claimedSize: 10 }), 'damaged')
})

test('bombs are refused after bounded work, wherever the zeros are', async () => {
  const gigabytes = 8_589_934_591
  const zeros = gzipSync(Buffer.alloc(64_000_000))
  const more = Array.from({ length: 160 }, () => zeros) // 10 GB
  const content = gzipSync(tarOf({ name: 'bp/zeros', claimedSize: gigabytes }).subarray(0, 512))
  const extension = gzipSync(tarOf({ name: 'pax', type: 'x', claimedSize: gigabytes }).subarray(0, 512))
  await expectRefused(Buffer.concat([content, ...more]), 'too_large')
  await expectRefused(Buffer.concat([extension, ...more]), 'too_large')
  await expectRefused(Buffer.concat([gzipSync(tarOf(blueprint)), ...more]), 'too_large')
  await expectRefused(Buffer.concat([tarBz2, ...Array.from({ length: 120 }, () => zerosBz2)]), 'too_large')
})

test('what is no archive is refused', async () => {
  await expectRefused(Buffer.alloc(0), 'empty')
  await expectRefused(Buffer.from('tosca_definitions_version: tutti_1\n'.repeat(100)), 'unknown_format')
  await expectRefused(Buffer.from('PK'), 'unknown_format')
  await expectRefused(
    gzipSync('tosca_definitions_version: tutti_1\n'.repeat(100)),
    'unknown_format',
    'no tar',
  )
  await expectRefused(gzipSync(gzipSync(tarOf(blueprint))), 'unknown_format', 'no tar')
  await expectRefused(gzipSync(''), 'unknown_format', 'no tar')
})

test('archives that were cut off anywhere are refused', async () => {
  const content = Buffer.from(Array.from({ length: 3000 }, (_, index) => (index * 7919) % 251))
  const entries = [blueprint, { name: 'bp/data', content }, script]
  const archives = [zipOf(...entries), tarOf(...entries), gzipSync(tarOf(...entries)), tarBz2]
  for (const bytes of archives) {
    // The last zeros of a tar are padding after its end mark.
    const end = bytes === archives[1] ? bytes.length - 1024 : bytes.length - 1
    for (let length = 1; length <= end; length += Math.ceil(bytes.length / 12)) {
      await expect(unpack(bytes.subarray(0, length))).rejects.toMatchObject({ name: 'UnpackError' })
    }
    await expect(unpack(bytes.subarray(0, end))).rejects.toMatchObject({ name: 'UnpackError' })
  }
  expect(await readdir(base)).toEqual(['archive'])
})

test('changed bytes are noticed', async () => {
  await expectRefused(zipOf({ ...blueprint, claimedCrc: 1 }), 'damaged', 'checksum')
  const changed = Buffer.from(tarBz2)
  changed.writeUInt8((changed[80] ?? 0) ^ 1, 80)
  await expectRefused(changed, 'damaged')
  const gz = gzipSync(tarOf(blueprint))
  gz.writeUInt8((gz[gz.length - 6] ?? 0) ^ 1, gz.length - 6)
  await expectRefused(gz, 'damaged')
})

test('an encrypted zip is refused', async () => {
  await expectRefused(zipOf({ ...blueprint, isEncrypted: true }), 'unsupported', 'encrypted')
})

/** Zeros that unpack to more than any limit by size would stop at once. */
const generous = { maxBytes: 2 ** 30 }

test.each([
  ['zip', () => zipOf({ name: 'bp/zeros', content: '\0'.repeat(2 ** 25) })],
  ['tar.gz', () => gzipSync(tarOf({ name: 'bp/zeros', content: '\0'.repeat(2 ** 25) }))],
  ['tar.bz2', () => zerosBz2],
] as const)('a %s is stopped when it becomes more than a hundred times larger', async (_format, make) => {
  await expectRefused(make(), 'too_large', 'limit for one of its size', generous)
})

test('what does not become that much smaller may be as large as the limits say', async () => {
  const content = randomBytes(2 ** 25).toString('latin1')
  await unpack(gzipSync(tarOf({ name: 'bp/random', content })), generous)
})

test('entries of a zip that share their bytes are refused before anything is unpacked', async () => {
  await expectRefused(overlapping(zipOf(blueprint, script)), 'damaged', 'share the same bytes', generous)
})

test('entries that are all one file count each', async () => {
  const many = Array.from({ length: 101 }, () => blueprint)
  for (const bytes of [zipOf(...many), tarOf(...many)]) await expectRefused(bytes, 'too_many_entries')
})

test('what takes too long is given up, also where nothing comes out', async () => {
  const late = new AbortController()
  const why = new Error('too slow')
  const empty = join(base, 'empty.gz')
  await writeFile(empty, Buffer.concat(Array.from({ length: 100_000 }, () => gzipSync(''))))
  const reading = gunzip(empty, late.signal).next()
  late.abort(why)
  await expect(reading).rejects.toBe(why)
  await writeFile(join(base, 'zeros.bz2'), zerosBz2)
  const task = { source: join(base, 'zeros.bz2'), target: join(base, 'zeros'), maxBytes: 2 ** 30 }
  await expect(bunzip(task, late.signal)).rejects.toBe(why)
})

/** The same zip, in whose table all entries begin where the first one does. */
function overlapping(zip: Buffer): Buffer {
  const changed = Buffer.from(zip)
  const header = Buffer.from('PK\x01\x02', 'latin1')
  for (let at = changed.indexOf(header); at >= 0; at = changed.indexOf(header, at + 4)) {
    changed.writeUInt32LE(0, at + 42)
  }
  return changed
}
