import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintText } from '../../../test/archives.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

let system: TestSystem
beforeAll(async () => {
  system = await startTestSystem()
})
afterAll(() => system.close())

const script = `
from cloudify import ctx
from cloudify.manager import get_rest_client
from cloudify.state import ctx_parameters

client = get_rest_client()
read = client.secrets.get('password')
client.secrets.create('made', 'by-an-operation')
client.secrets.update('made', 'changed')
ctx.instance.runtime_properties['lengths'] = [len(read.value), len(ctx_parameters['password'])]
ctx.instance.runtime_properties['keys'] = [one.key for one in client.secrets.list()]
ctx.logger.info('done')
`

test('operations read and write secrets, and no value is left where it was not put', async () => {
  const value = 'a-value-that-stands-nowhere'
  await system.inject('PUT', '/secrets/password', { body: { value, is_hidden_value: true } })
  const text = blueprintText({
    node_templates: {
      one: {
        type: 'cloudify.nodes.Root',
        interfaces: {
          'cloudify.interfaces.lifecycle': {
            create: {
              implementation: 'create.py',
              executor: 'central_deployment_agent',
              max_retries: 0,
              inputs: { password: { get_secret: 'password' } },
            },
          },
        },
      },
    },
  })
  await system.upload('secretive', blueprintArchive(text, { 'create.py': script }))
  await system.deploy('dep', 'secretive')
  const execution = await system.ended(await system.start('dep', 'install'))
  expect(execution).toMatchObject({ status: 'terminated', error: '' })
  const [instance] = (await system.inject('GET', '/node-instances?deployment_id=dep')).body.items
  expect(instance.runtime_properties).toEqual({
    lengths: [value.length, value.length],
    keys: ['password', 'made'],
  })
  expect((await system.inject('GET', '/secrets/made')).body.value).toBe('changed')

  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema not in ('pg_catalog', 'information_schema') and table_type = 'BASE TABLE'
      and table_schema = 'public'`.execute(system.db)
  expect(rows.length).toBeGreaterThan(15)
  for (const { name } of rows) {
    const { rows: found } = await sql`
      select from ${sql.table(name)} as t where t::text like ${`%${value}%`}`.execute(system.db)
    expect(found, name).toEqual([])
  }
})
