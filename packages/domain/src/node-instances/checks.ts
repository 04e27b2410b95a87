import { asObject, type JsonObject } from '../json-object.ts'

/**
 * How the last checks of an instance went, as its system properties record them (docs/reference/nodes-and-instances.md,
 * "Checks").
 */
export function checkResults(systemProperties: JsonObject): {
  readonly hasConfigurationDrift: boolean
  readonly isStatusCheckOk: boolean
} {
  const drifts = [
    systemProperties.configuration_drift,
    ...Object.values(asObject(systemProperties.source_relationships_configuration_drift)),
    ...Object.values(asObject(systemProperties.target_relationships_configuration_drift)),
  ]
  return {
    hasConfigurationDrift: drifts.some(shows),
    isStatusCheckOk: asObject(systemProperties.status).ok === true,
  }
}

/** A record shows drift when its check failed, or succeeded and found something. */
function shows(record: unknown): boolean {
  if (typeof record !== 'object' || record === null) return false
  const { ok, result } = record as { ok?: unknown; result?: unknown }
  return ok === false || (result !== undefined && result !== null)
}

/**
 * The system properties after a stored task has set the instance to `state` (docs/reference/nodes-and-instances.md,
 * "States").
 */
export function afterState(systemProperties: JsonObject, state: string, now: Date): JsonObject {
  const fine = { ok: true, result: null, task: null, timestamp: now.toISOString() }
  if (state === 'configured') return { ...systemProperties, configuration_drift: fine }
  if (state === 'started') return { ...systemProperties, previous_status: null, status: fine }
  return systemProperties
}
