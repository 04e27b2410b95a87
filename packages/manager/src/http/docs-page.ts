import { type ApiVersion, apiVersions, openapi } from '@tutti/api'

/**
 * The API as a page to read, made from the OpenAPI document of the version. Needs no script and no network
 * (docs/decisions/2026-11-22-api-page.md).
 */
export function docsPage(version: ApiVersion): string {
  const document = openapi(version) as unknown as Document
  const sections = new Map<string, string[]>()
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const name = operation.tags[0] ?? ''
      const rows = sections.get(name) ?? []
      sections.set(name, rows)
      rows.push(operationOf(method.toUpperCase(), path, operation, document))
    }
  }
  const names = [...sections.keys()].sort()
  const versions = apiVersions.map((each) =>
    each === version ? each : html`<a href="/docs/${each}">${each}</a>`,
  )
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Tutti REST API ${version}</title><style>${style}</style>
<h1>Tutti REST API</h1>
<p>Version ${versions.join(' · ')}. Send basic credentials or the header <code>Authentication-Token</code>, and the header
<code>Tenant</code> (for example <code>default_tenant</code>). As a machine reads it:
<a href="/openapi/${version}.json">openapi/${version}.json</a>.</p>
<nav>${names.map((name) => html`<a href="#${name}">${name}</a>`).join(' ')}</nav>
${names.map((name) => `${html`<h2 id="${name}">${name}</h2>`}${sections.get(name)?.join('')}`).join('')}</html>`
}

function operationOf(method: string, path: string, operation: Operation, document: Document): string {
  const permission = operation['x-permission']
  const state = operation['x-built'] ? '' : ' <em>not built yet</em>'
  const fields: Field[] = (operation.parameters ?? []).map((parameter) => ({
    name: parameter.name,
    where: parameter.in,
    type: typeOf(parameter.schema),
    isRequired: parameter.required === true,
  }))
  for (const { schema } of Object.values(operation.requestBody?.content ?? {})) {
    fields.push(...fieldsOf('body', schema, document))
  }
  const [code, answer] = Object.entries(operation.responses)[0] ?? []
  const [kind, media] = Object.entries(answer?.content ?? {})[0] ?? []
  const answered = fieldsOf('answer', media?.schema, document)
  return `<details id="${escapeHtml(operation.operationId)}"><summary>${html`<b class="${method}">${method}</b> <code>${path}</code> ${operation.summary}`}${state}</summary>
<p>${permission === 'anonymous' || permission === 'optional' ? 'Needs no credentials' : html`Needs the permission <code>${permission}</code>`}. ${html`Answers ${code ?? ''} ${kind ?? ''}`}</p>
${table('What it takes', fields)}${table('What it answers', answered)}</details>`
}

type Field = {
  readonly name: string
  readonly where: string
  readonly type: string
  readonly isRequired: boolean
}

function table(title: string, fields: readonly Field[]): string {
  if (fields.length === 0) return ''
  const rows = fields.map(
    ({ name, where, type, isRequired }) =>
      html`<tr><td><code>${name}</code><td>${type}<td>${where}${isRequired && where !== 'answer' ? ', required' : ''}`,
  )
  return `<table><caption>${title}</caption>${rows.join('')}</table>`
}

/** The fields of an object, or of the items of a page of them. */
function fieldsOf(where: string, schema: Schema | undefined, document: Document): Field[] {
  const { properties, required = [] } = resolved(schema, document)
  const items = properties?.items?.items
  if (items !== undefined)
    return fieldsOf(where, items, document).map((field) => ({ ...field, name: `items[].${field.name}` }))
  return Object.entries(properties ?? {}).map(([name, of]) => ({
    name,
    where,
    type: typeOf(of),
    isRequired: required.includes(name),
  }))
}

function resolved(schema: Schema | undefined, document: Document): Schema {
  const name = schema?.$ref?.split('/').at(-1)
  return (name === undefined ? schema : document.components.schemas[name]) ?? {}
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? ''
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return choices.map(typeOf).join(' | ')
  if (schema.items !== undefined) return `${typeOf(schema.items)}[]`
  return [schema.type ?? 'any'].flat().join(' | ')
}

/** What of an OpenAPI document the page shows. */
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}
type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }>
  >
  readonly 'x-permission': string
  readonly 'x-built': boolean
}
type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

/** A text of markup in which values are text. */
function html(parts: TemplateStringsArray, ...values: readonly string[]): string {
  return parts.map((part, index) => part + escapeHtml(values[index] ?? '')).join('')
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)
}

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#1c2330}
details{border-top:1px solid #dde2ea;padding:.3rem 0}summary{cursor:pointer}details>:not(summary){margin-left:1.2rem}
summary b{display:inline-block;width:4.2rem}.GET{color:#0b6e4f}.PUT,.PATCH{color:#8a5a00}.POST{color:#1d4ed8}.DELETE{color:#b42318}
table{border-collapse:collapse;margin:.5rem 0}caption{text-align:left;color:#5b6678}td{border-top:1px solid #eef1f5;padding:.15rem .8rem .15rem 0;vertical-align:top}
td+td{color:#5b6678;font-size:.9em}h2{margin-top:2rem}em{color:#a15c00}nav a{margin-right:.6rem}`
