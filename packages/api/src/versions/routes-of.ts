import { type ApiVersion, hasRoute, type Route } from '../routes/route.ts'
import { type RouteName, routes } from '../routes/table.ts'
import type { Adaptation } from './adaptation.ts'
import { adaptations } from './adaptations.ts'
import { v2Fields, v2Shape, v2Value } from './v2-shapes.ts'

/** An endpoint of a version, with what is to be done to serve it by the handlers of v3.1. */
export type VersionRoute = {
  readonly name: string
  readonly route: Route
  readonly adaptation: Adaptation
  readonly hasTenants: boolean
}

/** The endpoints that a version has; all of them, built or not. */
export function routesOf(version: ApiVersion): readonly VersionRoute[] {
  const hasTenants = hasRoute(version, 'v3')
  return Object.entries(routes)
    .filter(([, route]) => hasRoute(version, route.since))
    .map(([name, route]) => {
      const adaptation = version === 'v3.1' ? {} : (adaptations[version][name as RouteName] ?? {})
      const adapted = { ...route, ...adaptation.route }
      return hasTenants
        ? { name, route: adapted, adaptation, hasTenants }
        : { name, route: withoutTenants(adapted), adaptation: inV2(adapted, adaptation), hasTenants }
    })
}

function withoutTenants(route: Route): Route {
  const { response, list } = route
  return {
    ...route,
    ...(typeof response === 'object' && { response: v2Shape(response) }),
    ...(list !== undefined && { list: v2Fields(list) }),
  }
}

function inV2({ response }: Route, adaptation: Adaptation): Adaptation {
  if (typeof response !== 'object') return adaptation
  return {
    ...adaptation,
    answer: (answer, request) => v2Value(response, adaptation.answer?.(answer, request) ?? answer),
  }
}
