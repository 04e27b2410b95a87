/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
export type Random = () => number

/**
 * The run's random numbers. The seed is printed; `TUTTI_TEST_SEED=… vitest run …` tries the same moments again (as
 * far as the machine's own timing lets it).
 */
export function seededRandom(name: string): Random {
  const given = Number(process.env.TUTTI_TEST_SEED)
  const seed = Number.isInteger(given) && given > 0 ? given : Date.now() % 2 ** 31
  console.log(`${name}: TUTTI_TEST_SEED=${seed}`)
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
