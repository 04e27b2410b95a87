import type { Json, JsonObject } from '../json.ts'
import { attempt, type Build, section } from '../language/build.ts'
import { anything, list, map, optional, record, text } from '../language/shape.ts'
import { givenMap, isNull, toJson } from '../yaml/node.ts'
import { planSchedule, scheduleShape } from './schedule.ts'

/** `deployment_settings` (docs/reference/language/workflows-and-settings.md, "Deployment settings") */
export const deploymentSettingsShape = record({
  default_schedules: optional(map(scheduleShape)),
  default_groups: optional(list(text)),
  id_template: optional(text),
  display_name: optional({ kind: 'either', text, map: anything }),
})

export function planDeploymentSettings(build: Build): JsonObject {
  const settings = section(build, 'deployment_settings')
  if (settings === undefined) return {}
  const plan: { [name: string]: Json } = { default_schedules: {} }
  for (const [key, { value }] of settings.entries) {
    if (isNull(value)) continue
    if (key !== 'default_schedules') {
      plan[key] = toJson(value, build.conversion)
      continue
    }
    const schedules: { [name: string]: JsonObject } = {}
    for (const [name, entry] of givenMap(settings, key)?.entries ?? []) {
      const { value: schedule } = entry
      if (schedule.kind !== 'map') continue
      attempt(build, () => {
        schedules[name] = planSchedule(build, schedule, `deployment_settings.default_schedules.${name}`)
      })
    }
    plan[key] = schedules
  }
  return plan
}
