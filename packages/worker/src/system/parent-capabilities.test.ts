import { openDatabase, toJson } from '@tutti/storage'
import { createTestDatabase } from '@tutti/storage/testing'
import { expect, test } from 'vitest'
import { addInstance } from '../../test/node-instance.ts'
import { lackingCapabilities } from './parent-capabilities.ts'

test('a deployment needs an environment that declares what its blueprint asks for', async () => {
  const own = await createTestDatabase()
  const { db, close } = openDatabase({ ...own.connection, max: 2 })
  try {
    await db.insertInto('tenants').values({ id: 0, name: 'default_tenant' }).execute()
    await addInstance(db, 'env')
    await addInstance(db, 'hidden')
    const capabilities = toJson({
      network: { value: { id: 7, zones: ['a'] } },
      later: { value: { get_attribute: ['node', 'ip'] } },
    })
    await db.updateTable('deployments').set({ capabilities }).execute()
    await db
      .updateTable('deployments')
      .set({ visibility: 'private', created_by: 'somebody' })
      .where('id', '=', 'hidden')
      .execute()
    const lack = (wanted: unknown, ...parents: readonly string[]) =>
      lackingCapabilities(
        db,
        { tenantId: 0, username: 'admin' },
        { parent_capabilities: wanted, secrets: [] },
        parents.map((value) => ({ key: 'csys-obj-parent', value })),
      )

    expect(await lack([])).toBeUndefined()
    expect(await lackingCapabilities(db, { tenantId: 0, username: 'admin' }, null, [])).toBeUndefined()
    expect(await lack([['network']], 'env')).toBeUndefined()
    expect(await lack([['network', 'zones', 0]], 'env')).toBeUndefined()
    // Only evaluation says what is in it, or which one is meant.
    expect(await lack([['later', 'port'], [{ get_input: 'which' }]], 'env')).toBeUndefined()
    expect(await lack([['network', 'size'], ['disk']], 'env')).toBe(
      'The deployment needs capabilities that its environment does not have, env: network.size, disk',
    )
    expect(await lack([['constructor']], 'env')).toContain('constructor')
    expect(await lack([['network']])).toContain('it is in none')
    // Of a parent that its creator does not see, the label itself is refused.
    expect(await lack([['disk']], 'hidden')).toBeUndefined()
  } finally {
    await close()
    await own.drop()
  }
})
