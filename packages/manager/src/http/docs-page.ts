import type { Route } from '@tutti/api'

/** A readable page of the API, made from the route table that the manager serves; needs no script and no network. */
export function docsPage(routes: Readonly<Record<string, Route>>): string {
  const sections = new Map<string, string[]>()
  for (const route of Object.values(routes)) {
    const section = route.path.split('/')[1] ?? ''
    const rows = sections.get(section) ?? []
    sections.set(section, rows)
    rows.push(row(route))
  }
  const body = [...sections]
    .map(
      ([name, rows]) =>
        `<h2 id="${escapeHtml(name)}">${escapeHtml(name)}</h2><table>${rows.join('')}</table>`,
    )
    .join('')
  const links = [...sections.keys()]
    .map((name) => `<a href="#${escapeHtml(name)}">${escapeHtml(name)}</a>`)
    .join(' ')
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Tutti REST API v3.1</title><style>${style}</style>
<h1>Tutti REST API v3.1</h1>
<p>Base path <code>/api/v3.1</code>. Send basic credentials or the header <code>Authentication-Token</code>, and the header
<code>Tenant</code> (for example <code>default_tenant</code>). As a machine reads it: <a href="/openapi.json">openapi.json</a>.</p>
<nav>${links}</nav>${body}</html>`
}

function row(route: Route): string {
  const needs = route.permission === 'anonymous' ? 'no credentials' : route.permission
  const state = route.built ? '' : ' <em>not built yet</em>'
  return `<tr><td><code>${route.method}</code><td><code>${escapeHtml(route.path)}</code><td>${escapeHtml(route.summary)}${state}<td>${escapeHtml(needs)}`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#1c2330}
table{border-collapse:collapse;width:100%}td{border-top:1px solid #dde2ea;padding:.3rem .6rem;vertical-align:top}
td:first-child{width:5rem}td:last-child{color:#5b6678;font-size:.9em}h2{margin-top:2rem}em{color:#a15c00}nav a{margin-right:.6rem}`
