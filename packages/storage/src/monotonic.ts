/** A clock that is the same in all threads of a process and does not jump, unlike `performance.now` and `Date.now`. */
export const monotonicMs = (): number => Number(process.hrtime.bigint() / 1_000n) / 1_000
