/** What is promised is that another worker has begun by then: it needs a moment to notice. */
export const leaseMs = (promisedSeconds: number): number => promisedSeconds * 900
