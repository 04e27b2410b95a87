import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, writeArchive } from '@tutti/storage'
import { createTestDatabase } from '@tutti/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operationRequest } from '../../test/operation-request.ts'
import { pythonOf } from './folders.ts'
import { installWagon } from './install-wagon.ts'
import { openTo } from './ownership.ts'

// Nobody else may start processes as other users: for them, these tests are not there.
const asRoot = process.getuid?.() === 0 ? describe : describe.skip

asRoot('with users of operations', () => {
  const [installing, tenant, other] = [200_199, 200_123, 200_124]
  let root: string
  let own: Awaited<ReturnType<typeof createTestDatabase>>
  let database: ReturnType<typeof openDatabase>

  beforeAll(async () => {
    own = await createTestDatabase()
    database = openDatabase(own.connection)
    root = mkdtempSync(join(tmpdir(), 'tutti-install-wagon-'))
    chmodSync(root, 0o711)
    mkdirSync(join(root, 'work'), { mode: 0o711 })
    // Wherever this repository is, it may be closed to others.
    cpSync(join(import.meta.dirname, '../../../../python'), join(root, 'python'), { recursive: true })
  })
  afterAll(async () => {
    await database.close()
    await own.drop()
    rmSync(root, { recursive: true })
  })

  const as = (user: number, ...command: readonly [string, ...string[]]) => {
    const [file, ...args] = command
    return spawnSync(file, args, { uid: user, gid: user, cwd: '/', encoding: 'utf8' })
  }

  async function installed(name: string, visibility: 'tenant' | 'global'): Promise<string> {
    const wagons = mkdtempSync(join(root, 'wagons-'))
    const wagon = execFileSync('python3', ['-m', 'tests.wagons', wagons], {
      cwd: join(root, 'python'),
      input: JSON.stringify({ name, wheels: [{ name, files: { [`${name}.py`]: 'found = True' } }] }),
      encoding: 'utf8',
    }).trim()
    const { sha256 } = await database.db
      .transaction()
      .execute((transaction) => writeArchive(transaction, createReadStream(wagon), { maxBytes: 2 ** 20 }))
    const folder = join(root, `environment-${name}`)
    mkdirSync(folder, { mode: 0o700 })
    const { environment } = operationRequest({ folder: root, port: 1 }, {})
    const installer = {
      python: '/usr/bin/python3',
      user: installing,
      environment: {
        ...environment,
        inherited: { PATH: '/usr/bin:/bin' },
        runtimeFolder: join(root, 'python'),
      },
      signal: new AbortController().signal,
      onProgress: () => {},
      onOutput: () => {},
    }
    const plugin = { tenantId: 0, id: name, packageName: name, packageVersion: '1.0', sha256, visibility }
    expect(await installWagon(database.db, plugin, folder, join(root, 'work'), installer)).toHaveLength(1)
    await openTo(folder, visibility, tenant)
    return folder
  }

  const imports = (user: number, folder: string, name: string) =>
    as(user, pythonOf(folder), '-c', `import ${name}; print(${name}.found)`).stdout?.trim()

  test("a global plugin's environment is run by every tenant, and written by none", async () => {
    const folder = await installed('global_one', 'global')
    for (const user of [tenant, other]) {
      expect(imports(user, folder, 'global_one')).toBe('True')
      for (const path of ['pyvenv.cfg', 'bin/evil', 'bin/python', 'lib/evil.py']) {
        expect(as(user, 'sh', '-c', `echo x >>"${join(folder, path)}"`).status, path).not.toBe(0)
      }
    }
    // Whoever has installed it has no more to say.
    expect(as(installing, 'sh', '-c', `find "${folder}" -user ${installing} | wc -l`).stdout.trim()).toBe('0')
    expect(statSync(folder)).toMatchObject({ uid: 0, mode: 0o40755 })
    expect(readdirSync(join(root, 'work'))).toEqual([])
  })

  test("a tenant's own is run by that tenant alone, until it becomes global", async () => {
    const folder = await installed('own_one', 'tenant')
    expect(imports(tenant, folder, 'own_one')).toBe('True')
    expect(as(tenant, 'sh', '-c', `echo x >"${folder}/evil"`).status).not.toBe(0)
    expect(as(other, 'ls', folder).status).not.toBe(0)
    await openTo(folder, 'global', tenant)
    expect(imports(other, folder, 'own_one')).toBe('True')
  })
})
