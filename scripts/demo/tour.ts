import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findArchiveSource } from '@tutti/client'
import { removeLeftovers } from './leftovers.ts'
import { page } from './page.ts'
import type { TourContext } from './tour-context.ts'
import { runWorkflow } from './workflow.ts'

const example = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'examples', 'hello-world')
const id = 'hello-world'

/** Upload, deploy, install, look, uninstall, delete: everything over the REST API, as any other client would. */
export async function tour({ client, reporter, signal }: TourContext): Promise<void> {
  await removeLeftovers({ client, reporter, signal }, id)
  const port = await freePort()
  const greeting = 'Hello from Tutti!'

  await reporter.step('Uploading the blueprint examples/hello-world', async () => {
    await client.blueprints.upload(id, await findArchiveSource(example), { signal })
  })
  await reporter.step(`Creating the deployment ${id}`, () =>
    client.deployments.create(id, { blueprintId: id, inputs: { port, greeting } }),
  )
  await runWorkflow({ client, reporter, signal }, id, 'install')

  const { outputs } = await client.deployments.outputs(id)
  for (const [name, value] of Object.entries(outputs)) reporter.note(`  output ${name}: ${String(value)}`)
  const { url } = outputs
  if (typeof url !== 'string') throw new Error(`The deployment's output url is ${String(url)}`)
  await reporter.step(`Asking the web server that was installed: GET ${url}`, async () => {
    const text = await page(url, signal)
    if (text?.includes(greeting) !== true) throw new Error(`${url} does not show the greeting: ${text}`)
  })
  reporter.note(`  it says: ${greeting}`)

  await runWorkflow({ client, reporter, signal }, id, 'uninstall')
  await reporter.step('Checking that the web server is gone', async () => {
    if ((await page(url, signal)) !== undefined) throw new Error(`${url} still answers after uninstall`)
  })
  await reporter.step('Deleting the deployment and the blueprint', async () => {
    await client.deployments.delete(id)
    await client.deployments.waitUntilDeleted(id, signal)
    await client.blueprints.delete(id)
  })
}

/** Free when asked; the example fails with a clear error should somebody take it in between. */
async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port of 127.0.0.1 is free')
  return address.port
}
