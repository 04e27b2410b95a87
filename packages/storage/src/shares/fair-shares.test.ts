import { expect, test, vi } from 'vitest'
import { createFairShares, ShareRefused } from './fair-shares.ts'

const shares = (size: number, mostWaiting = Number.POSITIVE_INFINITY) =>
  createFairShares({ size, mostWaiting, now: () => 0 })

/** Asks for places, and keeps in which order they were given. */
function guests(of: ReturnType<typeof shares>) {
  const inside: { readonly name: string; readonly leave: () => void }[] = []
  const refused: string[] = []
  return {
    inside,
    refused,
    names: () => inside.map(({ name }) => name),
    ask(key: string, name: string, signal?: AbortSignal) {
      of.enter(key, signal).then(
        (leave) => inside.push({ name, leave }),
        () => refused.push(name),
      )
    },
    async next() {
      inside.shift()?.leave()
      await settled()
    },
  }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

test.each([
  [1, 1],
  [2, 1],
  [3, 2],
  [4, 3],
  [20, 15],
])('of %i places one key has %i at most, and who comes new one at once', async (size, most) => {
  const here = shares(size)
  const { ask, inside, names } = guests(here)
  for (let count = 0; count < 50; count += 1) ask('a', `a${count}`)
  await settled()
  expect(inside.length).toBe(most)
  ask('b', 'b')
  await settled()
  expect(names().includes('b')).toBe(size > 1)
})

test('keys that come one after the other each find a place', async () => {
  const { ask, names } = guests(shares(20))
  for (const key of ['a', 'b', 'c', 'd']) {
    for (let count = 0; count < 30; count += 1) ask(key, key)
    await settled()
    expect(names()).toContain(key)
  }
})

test('one after the other, keys take turns, however many wait of one', async () => {
  const { ask, names, next, inside } = guests(shares(1))
  for (let count = 0; count < 5; count += 1) ask('a', `a${count}`)
  for (let count = 0; count < 2; count += 1) ask('b', `b${count}`)
  ask('c', 'c0')
  await settled()
  const order: string[] = []
  while (inside.length > 0) {
    order.push(...names())
    await next()
  }
  expect(order).toEqual(['a0', 'a1', 'b0', 'c0', 'a2', 'b1', 'a3', 'a4'])
})

test('who holds least is next', async () => {
  const here = shares(8)
  const { ask, names, next } = guests(here)
  for (let count = 0; count < 9; count += 1) ask('a', `a${count}`)
  ask('b', 'b0')
  ask('b', 'b1')
  await settled()
  expect(names()).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'b0'])
  await next()
  expect(names().at(-1)).toBe('b1')
})

test('who has gone is forgotten at once', async () => {
  const here = shares(1)
  const { ask, names, refused, next } = guests(here)
  const gone = new AbortController()
  ask('a', 'a0')
  ask('b', 'b0', gone.signal)
  ask('c', 'c0')
  await settled()
  expect(here.waiting).toBe(2)
  gone.abort()
  expect(here.waiting).toBe(1)
  await next()
  expect([names(), refused]).toEqual([['c0'], ['b0']])
  await expect(here.enter('a', AbortSignal.abort(new Error('gone before')))).rejects.toThrow('gone before')
})

test('beyond the bound the newest of whom most wait is refused', async () => {
  const here = shares(1, 3)
  const { ask, refused, names, next } = guests(here)
  ask('a', 'a0')
  for (let count = 1; count < 6; count += 1) ask('a', `a${count}`)
  await settled()
  expect(refused).toEqual(['a4', 'a5'])
  ask('b', 'b0')
  await settled()
  expect(refused).toEqual(['a4', 'a5', 'a3'])
  expect(here.waiting).toBe(3)
  await next()
  await next()
  expect(names()).toEqual(['b0'])
  await expect(createFairShares({ size: 0, mostWaiting: 0, now: () => 0 }).enter('a')).rejects.toThrow(
    ShareRefused,
  )
})

test('a place is given back once, and what was waited is told', async () => {
  const onTurn = vi.fn()
  let nowMs = 1_000
  const here = createFairShares({ size: 1, mostWaiting: 9, now: () => nowMs, onTurn })
  const leave = await here.enter('a')
  const second = here.enter('a')
  nowMs = 1_250
  leave()
  leave()
  ;(await second)()
  expect(onTurn.mock.calls).toEqual([[0], [250]])
  expect([here.held, here.waiting]).toEqual([0, 0])
})

test('places are neither lost nor made, whatever happens', async () => {
  const here = shares(5, 20)
  const { ask, inside } = guests(here)
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((seed / 2 ** 31) * below)
  }
  const aborts: AbortController[] = []
  for (let step = 0; step < 2_000; step += 1) {
    const abort = new AbortController()
    aborts.push(abort)
    ask(`key-${random(7)}`, String(step), abort.signal)
    if (random(3) === 0) aborts[random(aborts.length)]?.abort()
    if (random(2) === 0) inside.splice(random(inside.length), 1)[0]?.leave()
    await Promise.resolve()
    await Promise.resolve()
    expect(here.held).toBeLessThanOrEqual(5)
    expect(here.waiting).toBeLessThanOrEqual(20)
  }
  await settled()
  while (inside.length > 0 || here.waiting > 0) {
    for (const { leave } of inside.splice(0)) leave()
    await settled()
  }
  expect([here.held, here.waiting]).toEqual([0, 0])
})
