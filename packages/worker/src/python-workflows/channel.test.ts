import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { handOver } from '../operations/index.ts'
import { bounds } from './bounds.ts'
import { type Channel, openChannel, socketName } from './channel.ts'
import { parseMessage } from './message.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function opened(
  onLine: (line: string) => Promise<void>,
): Promise<{ folder: string; channel: Channel }> {
  const root = await mkdtemp(join(tmpdir(), 'tutti-channel-'))
  // Longer than the path of a socket may be.
  const folder = join(root, 'x'.repeat(120))
  await mkdir(folder)
  const channel = await openChannel(folder, null, onLine)
  closing.push(
    () => channel.close(),
    () => rm(root, { recursive: true }),
  )
  return { folder, channel }
}

/** As Python connects: from within the folder. */
function connected(folder: string) {
  const socket = connect(join('/proc/self/cwd', socketName))
  socket.on('error', () => {})
  return { socket, folder }
}

test('lines come one by one, and one process is heard', async () => {
  const lines: string[] = []
  const { promise: second, resolve } = Promise.withResolvers<void>()
  const before = process.cwd()
  const { folder, channel } = await opened(async (line) => {
    lines.push(line)
    if (line === 'two') resolve()
  })
  channel.send({ early: true })
  process.chdir(folder)
  const { socket } = connected(folder)
  const got = new Promise<string>((heard) => socket.once('data', (data) => heard(String(data))))
  socket.write('one\ntw')
  expect(await got).toBe('{"early":true}\n')
  const late = connected(folder).socket
  await new Promise<void>((refused) => late.once('close', () => refused()))
  process.chdir(before)
  socket.write('o\n')
  await second
  expect(lines).toEqual(['one', 'two'])
  // Nobody else finds it, and its folder can be removed.
  expect(await readdir(folder)).toEqual([])
  socket.destroy()
  expect(await channel.gone).toBeUndefined()
})

test.runIf(process.getuid?.() === 0)('it belongs to the user of the operations of its tenant', async () => {
  const root = await mkdtemp(join(tmpdir(), 'tutti-channel-'))
  const channel = await openChannel(root, 200_001, async () => {})
  closing.push(
    () => channel.close(),
    () => rm(root, { recursive: true }),
  )
  await handOver(root, 200_001)
  const { uid, mode } = await stat(join(root, socketName))
  expect({ uid, mode: mode & 0o777 }).toEqual({ uid: 200_001, mode: 0o600 })
  // Its folder is closed to all others.
  expect((await stat(root)).mode & 0o777).toBe(0o700)
})

test('a line without an end is the end of the channel', async () => {
  const before = process.cwd()
  const { folder, channel } = await opened(async () => {})
  process.chdir(folder)
  const { socket } = connected(folder)
  process.chdir(before)
  socket.write(Buffer.alloc(bounds.lineBytes + 1, 'x'))
  expect(await channel.gone).toBe('a line without an end')
})

test('who asks and does not read the answers is not heard until it does', async () => {
  const before = process.cwd()
  const answer = 'x'.repeat(2 ** 20)
  const asked = 64
  let [heard, readBytes, mostUnread] = [0, 0, 0]
  const { promise: all, resolve } = Promise.withResolvers<void>()
  const { folder, channel } = await opened(async () => {
    heard += 1
    channel.send(answer)
    mostUnread = Math.max(mostUnread, heard * answer.length - readBytes)
    if (heard === 5) socket.on('data', ({ length }) => (readBytes += length))
    if (heard === asked) resolve()
  })
  process.chdir(folder)
  const { socket } = connected(folder)
  process.chdir(before)
  socket.write('ask\n'.repeat(asked))
  await all
  expect(mostUnread).toBeLessThan(2 * bounds.unreadBytes)
  socket.destroy()
})

test.each([
  'x',
  '[]',
  '{}',
  '{"do":"delete"}',
  '{"do":"tasks"}',
  '{"do":"store","id":1,"name":""}',
  '{"do":"run","id":1,"graph":7}',
  '{"do":"run","id":1,"graph":null,"wired":{"a":"b"}}',
  '{"do":"lifecycle","id":1,"name":"x","lifecycle":"heal","instances":[],"related":[]}',
  '{"do":"lifecycle","id":1,"name":"x","lifecycle":"install","instances":[1],"related":[]}',
  '{"do":"done","row":"a"}',
  '{"do":"done","row":"a","error":{"kind":"killed","type":"x","message":"y"}}',
  '{"do":"answered","row":"a","action":"delete"}',
  `{"do":"done","row":"a","ok":true,"result":${'['.repeat(1000)}${']'.repeat(1000)}}`,
])('%s is no message', (line) => {
  expect(() => parseMessage(line.slice(0, 100_000))).toThrow()
})
