import { apiVersions, openapi } from '@tutti/api'
import { expect, test } from 'vitest'
import { docsPage } from './docs-page.ts'

test.each(apiVersions)('the page of %s has every endpoint of it, with what it takes', (version) => {
  const page = docsPage(version)
  const { paths } = openapi(version) as { readonly paths: Readonly<Record<string, object>> }
  for (const [path, operations] of Object.entries(paths)) {
    for (const method of Object.keys(operations)) {
      expect(page).toContain(`${method.toUpperCase()}</b> <code>${path}</code>`)
    }
  }
})

test('it says which permission an endpoint needs, the fields of its body and of the items of a list', () => {
  const details = docsPage('v3.1').split('<details ')
  const of = (id: string) => details.find((part) => part.startsWith(`id="${id}"`)) ?? ''
  expect(of('sites.create')).toContain('<code>site_create</code>')
  expect(of('sites.create')).toContain('<td><code>location</code>')
  expect(of('sites.list')).toContain('<td><code>items[].location</code>')
  const { paths } = openapi('v3.1') as { readonly paths: Readonly<Record<string, object>> }
  const unbuilt = Object.values(paths).flatMap((operations) =>
    Object.values(operations).filter((operation: { readonly 'x-built': boolean }) => !operation['x-built']),
  )
  expect(details.filter((part) => part.includes('not built yet'))).toHaveLength(unbuilt.length)
})
