import { type ApiVersion, hasRoute, type Route } from '../routes/route.ts'
import { type RouteName, routes } from '../routes/table.ts'
import type { Adaptation } from './adaptation.ts'
import { adaptations } from './adaptations.ts'
import { newerFields, v2Fields, v2Shape, v2Value } from './v2-shapes.ts'

/** An endpoint of a version, with what is to be done to serve it by the handlers of v3.1. */
export type VersionRoute = {
  readonly name: string
  readonly route: Route
  readonly adaptation: Adaptation
  readonly hasTenants: boolean
  /** Older clients take what follows `filename=` for the name of a download, quotes and all. */
  readonly quotesFileNames: boolean
}

/** The endpoints that a version has; all of them, built or not. */
export function routesOf(version: ApiVersion): readonly VersionRoute[] {
  const quotesFileNames = version === 'v3.1'
  return Object.entries(routes)
    .filter(([, route]) => hasRoute(version, route.since))
    .map(([name, route]) => {
      const adaptation = version === 'v3.1' ? {} : (adaptations[version][name as RouteName] ?? {})
      const adapted = { ...route, ...adaptation.route }
      if (version === 'v3' || version === 'v3.1') {
        return { name, route: adapted, adaptation, hasTenants: true, quotesFileNames }
      }
      const newer = newerFields[version]
      return {
        name,
        route: withoutTenants(adapted, newer),
        adaptation: inV2(adapted, adaptation, newer),
        hasTenants: false,
        quotesFileNames,
      }
    })
}

function withoutTenants(route: Route, newer: ReadonlySet<string>): Route {
  const { response, list } = route
  return {
    ...route,
    ...(typeof response === 'object' && { response: v2Shape(response, newer) }),
    ...(list !== undefined && { list: v2Fields(list, newer) }),
  }
}

function inV2({ response }: Route, adaptation: Adaptation, newer: ReadonlySet<string>): Adaptation {
  if (typeof response !== 'object') return adaptation
  return {
    ...adaptation,
    answer: (answer, request) => v2Value(response, adaptation.answer?.(answer, request) ?? answer, newer),
  }
}
