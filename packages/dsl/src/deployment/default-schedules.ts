import { addTimeDelta, parseTimeDelta, utcText } from '../elements/schedule-time.ts'
import { isObject, type Json, type JsonObject } from '../json.ts'

/**
 * One schedule of the plan as the schedule call takes it (docs/reference/language/workflows-and-settings.md, "Default
 * schedules").
 */
export type DefaultSchedule = {
  readonly id: string
  readonly workflow_id: string
  readonly parameters: JsonObject
  readonly execution_arguments: JsonObject
  /** `YYYY-MM-DD HH:MM:SS`, UTC. */
  readonly since: string
  readonly until: string | null
  readonly recurrence: string | null
  readonly weekdays: readonly string[] | null
  readonly count: number | null
  readonly slip: number
  readonly enabled: boolean
  readonly stop_on_fail: boolean
}

/** The schedules of a deployment plan's settings; relative times count from `createdAt`, seconds zeroed. */
export function defaultSchedules(settings: JsonObject, createdAt: Date): readonly DefaultSchedule[] {
  const declared = settings.default_schedules
  if (!isObject(declared)) return []
  return Object.entries(declared).flatMap(([id, schedule]) =>
    isObject(schedule) ? [scheduleOf(id, schedule, createdAt)] : [],
  )
}

function scheduleOf(id: string, schedule: JsonObject, createdAt: Date): DefaultSchedule {
  const { execution_arguments: args, workflow_parameters: parameters } = schedule
  return {
    id,
    workflow_id: String(schedule.workflow),
    parameters: isObject(parameters) ? parameters : {},
    execution_arguments: isObject(args) ? withDryRun(args) : {},
    since: timeOf(String(schedule.since), createdAt),
    until: typeof schedule.until === 'string' ? timeOf(schedule.until, createdAt) : null,
    recurrence: typeof schedule.recurrence === 'string' ? schedule.recurrence : null,
    weekdays: Array.isArray(schedule.weekdays) ? schedule.weekdays.map(String) : null,
    count: typeof schedule.count === 'number' ? schedule.count : null,
    slip: typeof schedule.slip === 'number' ? schedule.slip : 0,
    enabled: schedule.default_enabled !== false,
    stop_on_fail: schedule.stop_after_fail === true,
  }
}

/** Blueprints say `is_dry_run`, the schedule call `dry_run`. */
function withDryRun(args: JsonObject): JsonObject {
  const renamed = Object.entries(args).map(([key, value]): [string, Json] => [
    key === 'is_dry_run' ? 'dry_run' : key,
    value,
  ])
  return Object.fromEntries(renamed)
}

function timeOf(text: string, createdAt: Date): string {
  const delta = parseTimeDelta(text)
  if (delta === null) return text
  const start = new Date(createdAt)
  start.setUTCSeconds(0, 0)
  return utcText(addTimeDelta(start, delta))
}
