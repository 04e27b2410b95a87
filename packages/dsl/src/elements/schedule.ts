import { DslError } from '../diagnostic.ts'
import { calledInNode } from '../functions/call.ts'
import type { Json, JsonObject } from '../json.ts'
import type { Build } from '../language/build.ts'
import { anything, boolean, integer, list, map, optional, record, required, text } from '../language/shape.ts'
import { summary } from '../language/summary.ts'
import {
  given,
  givenItems,
  givenMap,
  givenText,
  isNull,
  nodePlace,
  textOf,
  toJson,
  type YamlMap,
} from '../yaml/node.ts'
import { parseTimeDelta, scheduleTime } from './schedule-time.ts'

/** One of `default_schedules` (docs/reference/language/workflows-and-settings.md, "Default schedules") */
export const scheduleShape = record({
  workflow: required(text),
  execution_arguments: optional(
    record({
      force: optional(boolean),
      is_dry_run: optional(boolean),
      wait_after_fail: optional(anything),
      allow_custom_parameters: optional(boolean),
    }),
  ),
  workflow_parameters: optional(map(anything)),
  since: required(text),
  until: optional(text),
  recurrence: optional(text),
  timezone: optional(text),
  weekdays: optional(list(text)),
  count: optional(integer),
  default_enabled: optional(boolean),
  stop_after_fail: optional(boolean),
  slip: optional(integer),
})

const WEEKDAYS = ['su', 'mo', 'tu', 'we', 'th', 'fr', 'sa']

export function planSchedule(build: Build, written: YamlMap, path: string): JsonObject {
  checkWeekdays(written, path)
  checkParameters(written, path)
  const recurrence = givenText(written, 'recurrence')
  if (recurrence !== undefined && parseTimeDelta(`+${recurrence}`) === null) {
    throw timeError(
      written,
      path,
      'recurrence',
      `'${recurrence}' is not a legal recurrence`,
      'N unit, e.g. 3 days',
    )
  }
  const plan: { [key: string]: Json } = {}
  for (const [key, { value }] of written.entries) {
    if (!isNull(value) && key !== 'timezone') plan[key] = toJson(value, build.conversion)
  }
  for (const key of ['since', 'until']) {
    const time = givenText(written, key)
    if (time === undefined) continue
    const read = scheduleTime(time, givenText(written, 'timezone') ?? 'UTC', build.now)
    if ('problem' in read)
      throw timeError(written, path, key, read.problem, "'YYYY-MM-DD HH:MM', 'HH:MM' or '+N unit'")
    plan[key] = read.time
  }
  return plan
}

function timeError(written: YamlMap, path: string, key: string, message: string, expected: string): DslError {
  const node = given(written, key) ?? written
  return new DslError('NonRecoverableError', `${message}.`, {
    place: nodePlace(node),
    path: `${path}.${key}`,
    value: summary(node),
    expected,
  })
}

function checkWeekdays(written: YamlMap, path: string): void {
  for (const item of givenItems(written, 'weekdays')) {
    const weekday = textOf(item) ?? ''
    if (WEEKDAYS.includes(weekday.slice(-2).toLowerCase())) continue
    const accepted = WEEKDAYS.map((name) => `'${name}'`).join(', ')
    const message = `${weekday} is not a valid weekday value. Accepted values: [${accepted}]`
    throw new DslError('DSLParsingException', message, {
      code: 1,
      place: nodePlace(item),
      path: `${path}.weekdays`,
      value: weekday,
      expected: 'su, mo, tu, we, th, fr, sa, with an optional prefix 1 to 4 or l-',
    })
  }
}

/** Functions whose values are runtime properties, of which there are none when a schedule is made. */
const RUNTIME_PROPERTIES: readonly string[] = ['get_attribute', 'get_attributes_list', 'get_attributes_dict']

function checkParameters(written: YamlMap, path: string): void {
  for (const [name, { value }] of givenMap(written, 'workflow_parameters')?.entries ?? []) {
    const called = calledInNode(value)
    if (called === null || !RUNTIME_PROPERTIES.includes(called)) continue
    throw new DslError(
      'DSLParsingException',
      `workflow_parameters cannot hold a runtime property: take ${called} out of '${name}'.`,
      { code: 1, place: nodePlace(value), path: `${path}.workflow_parameters`, value: summary(value) },
    )
  }
}
