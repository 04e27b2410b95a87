/** Limits how many operations run at once on this worker, over all executions; first come, first served. */
export type OperationSlots = {
  /** Resolves when there is room; call the result when done. */
  take(): Promise<() => void>
}

export function createOperationSlots(size: number): OperationSlots {
  let free = size
  const waiting: (() => void)[] = []
  const release = () => {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }
  return {
    async take() {
      if (free > 0) free -= 1
      else await new Promise<void>((resolve) => waiting.push(resolve))
      return release
    },
  }
}
