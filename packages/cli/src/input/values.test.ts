import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testEnvironment } from '../../test/test-environment.ts'
import { parseValue, readLabels, readValues } from './values.ts'

test.each([
  ['8080', 8080],
  ['true', true],
  ['null', null],
  ['[1,"a"]', [1, 'a']],
  ['{"a":1}', { a: 1 }],
  ['"8080"', '8080'],
  ['1.10', '1.10'],
  ['007', '007'],
  ['12345678901234567890', '12345678901234567890'],
  ['', ''],
  ['a=b: c', 'a=b: c'],
])('%s means %j', (text, value) => {
  expect(parseValue(text)).toEqual(value)
})

test('a JSON list, object or string given as such is that value', () => {
  const json = fc.jsonValue().filter((value) => typeof value !== 'number')
  fc.assert(
    fc.property(json, (value) => {
      const text = JSON.stringify(value)
      expect(parseValue(text)).toEqual(JSON.parse(text))
    }),
  )
})

test('files and single values are put together, later ones win', async () => {
  const { workingFolder, remove } = await testEnvironment()
  await writeFile(join(workingFolder, 'inputs.yaml'), 'port: 1\nimage: "a"\nversion: "1.10"\n')
  await writeFile(join(workingFolder, 'more.json'), '{"image": "b"}')
  expect(await readValues(['inputs.yaml', 'more.json', 'port=2'], workingFolder)).toEqual({
    port: 2,
    image: 'b',
    version: '1.10',
  })
  await writeFile(join(workingFolder, 'list.yaml'), '- a\n')
  await writeFile(join(workingFolder, 'bad.yaml'), 'a: [\n')
  expect(await readValues(['{"url": "http://x?a=b"}', 'port=2'], workingFolder)).toEqual({
    url: 'http://x?a=b',
    port: 2,
  })
  await expect(readValues(['list.yaml'], workingFolder)).rejects.toThrow('must hold a mapping')
  await expect(readValues(['bad.yaml'], workingFolder)).rejects.toThrow('bad.yaml')
  await expect(readValues(['nothing'], workingFolder)).rejects.toThrow(
    'neither name=value, nor a JSON object, nor a file',
  )
  await remove()
})

test('labels are pairs', () => {
  expect(readLabels(['env=a=b'])).toEqual([['env', 'a=b']])
  expect(() => readLabels(['env'])).toThrow('A label is written key=value, got env')
})
