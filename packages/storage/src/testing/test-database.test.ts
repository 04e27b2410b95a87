import { Pool } from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from './index.ts'

test('each test database is its own, and gone after drop even while somebody is connected', async () => {
  const [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()])
  const pool = new Pool(one.connection)
  const otherPool = new Pool({ connectionString: other.connectionString })
  const broken = new Promise((resolve) => pool.on('error', resolve))
  await pool.query('create table mine (id int)')
  const { rows } = await otherPool.query(`select to_regclass('mine') as mine`)
  expect(rows).toEqual([{ mine: null }])

  await otherPool.end()
  await other.drop()
  await one.drop()
  await broken
  await expect(pool.query('select 1')).rejects.toThrow('does not exist')
  await pool.end()
})
