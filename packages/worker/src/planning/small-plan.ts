import type { PlanningLimits } from '@tutti/dsl'

/**
 * Thirty nodes of built-in types, as characters of JSON. A plan below it, as most are, is stored written out and made
 * into a deployment by the process itself, in some 10 ms: sharing its parts or a thread would cost more than it.
 */
export const smallText = 1_000_000

/** What turns out to be larger than it looks, as its functions multiply or its instances are many, goes to a thread. */
export const smallPlan: PlanningLimits = { functions: { steps: 50_000, bytes: 2 ** 20 }, instances: 200 }
