import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  chown,
  link,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { provideBinaries } from './binaries.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './index.ts'
import { chooseServerUser } from './server-user.ts'

const root = process.getuid?.() === 0
/** Whoever an ordinary user is here: ourselves, unless we are root. */
const ordinary = root ? { uid: 65534 } : {}
const ownerScript = fileURLToPath(new URL('../../test/embedded-owner.ts', import.meta.url))

let base: string
let cacheFolder: string
const running = new Set<EmbeddedPostgres>()
const children = new Set<ChildProcess>()

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'tutti-embedded-')))
  await chmod(base, 0o755)
  cacheFolder = join(base, 'cache')
  await mkdir(cacheFolder)
  await chmod(cacheFolder, 0o777)
})

afterEach(async () => {
  for (const child of children) {
    child.stdin?.end()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  for (const postgres of running) await postgres.stop()
  children.clear()
  running.clear()
})

afterAll(async () => await rm(base, { recursive: true, force: true }))

async function newFolder(mode = 0o755) {
  const folder = await mkdtemp(join(base, 'data-'))
  await chmod(folder, mode)
  return folder
}

async function start(dataFolder: string, more: { log?: (line: string) => void; cacheFolder?: string } = {}) {
  const postgres = await startEmbeddedPostgres({ dataFolder, cacheFolder, log: () => undefined, ...more })
  running.add(postgres)
  return postgres
}

/** Starts an owner in a process of its own: what it printed, and how to kill it as `kill -9` does. */
async function startElsewhere(dataFolder: string, options: { uid?: number; limit?: string } = {}) {
  const script = [process.execPath, ownerScript, dataFolder, cacheFolder, String(options.uid ?? '')]
  const shell = `${options.limit ?? ''} exec "$@"`
  const child = spawn('sh', ['-c', shell, 'sh', ...script.filter((word) => word !== '')], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  children.add(child)
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  const kill = async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { ...(JSON.parse(line) as { pid: number; connectionString: string; message: string }), kill }
}

async function query(connectionString: string, sql: string): Promise<unknown> {
  const client = new Client({ connectionString })
  client.on('error', () => undefined)
  await client.connect()
  try {
    const { rows } = await client.query(sql)
    return Object.values((rows[0] ?? {}) as object)[0]
  } finally {
    await client.end()
  }
}

/** What a process of that user is told when it connects. */
async function connectAs(uid: number, connectionString: string): Promise<string> {
  const program = `
    const client = new (require('pg').Client)({ connectionString: process.argv[1] })
    client.connect().then(() => 'connected', (error) => error.message).then((said) => {
      console.log(said)
      process.exit()
    })`
  return execFileSync(process.execPath, ['-e', program, connectionString], {
    uid,
    gid: uid,
    cwd: import.meta.dirname,
    encoding: 'utf8',
  }).trim()
}

/** What somebody does whose connection broke: connect again until it works. */
async function queryAgain(connectionString: string, sql: string): Promise<unknown> {
  for (;;) {
    const answer = await query(connectionString, sql).catch(() => undefined)
    if (answer !== undefined) return answer
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test('rows are there again after a stop and a start', async () => {
  const folder = await newFolder()
  const first = await start(folder)
  await query(first.connectionString, 'create table kept as select 42 as answer')
  await first.stop()
  expect(first.pid).toBeUndefined()

  const second = await start(folder)
  expect(await query(second.connectionString, 'select answer from kept')).toBe(42)
})

test('nothing is acknowledged before it is on disk, and nobody can come in from outside', async () => {
  const folder = await newFolder()
  const { connectionString, connection } = await start(folder)
  expect(await query(connectionString, 'show fsync')).toBe('on')
  expect(await query(connectionString, 'show synchronous_commit')).toBe('on')
  expect(await query(connectionString, 'show data_checksums')).toBe('on')
  expect(await query(connectionString, 'show listen_addresses')).toBe('')
  expect(connection.host).toBe(join(await realpath(folder), 'postgresql'))
  expect((await stat(connection.host)).mode & 0o777).toBe(0o700)
})

/** Root lowers itself to somebody else for PostgreSQL; for an ordinary user there is nothing of that to meet. */
if (root) {
  test('as root, PostgreSQL runs as an unprivileged user that owns its files', async () => {
    const folder = await newFolder(0o700) // Tutti's own: it is opened for passing, not for listing
    const postgres = await start(folder)
    const status = await readFile(`/proc/${postgres.pid}/status`, 'utf8')
    const uid = Number(/^Uid:\t(\d+)/m.exec(status)?.[1])
    expect(uid).not.toBe(0)
    expect((await stat(join(folder, 'postgresql', 'data'))).uid).toBe(uid)
    expect((await stat(folder)).uid).toBe(0)
  })

  test('it is a user of its own, and who else gets to the socket is not let in', async () => {
    const folder = await newFolder()
    const postgres = await start(folder)
    const { uid } = await stat(join(folder, 'postgresql'))
    const accounts = await readFile('/etc/passwd', 'utf8')
    expect(accounts).not.toContain(`:x:${uid}:`)
    // The user's own way out, should the folder be opened by mistake.
    await chmod(postgres.connection.host, 0o777)
    await chmod(join(postgres.connection.host, '.s.PGSQL.5432'), 0o777)
    for (const other of [65534, uid]) {
      expect(await connectAs(other, postgres.connectionString)).toMatch(
        /authentication failed|look up local user/,
      )
    }
    expect(await connectAs(0, postgres.connectionString)).toBe('connected')
  })

  test('data that an older Tutti left to nobody are moved to a user of their own', async () => {
    const folder = await newFolder()
    const home = join(folder, 'postgresql')
    const first = await start(folder)
    await query(first.connectionString, 'create table kept as select 42 as answer')
    await first.stop()
    await writeFile(join(home, 'data', 'pg_hba.conf'), 'local all all trust\n')
    execFileSync('chown', ['-R', '65534:65534', home])

    const second = await start(folder)
    expect(await query(second.connectionString, 'select answer from kept')).toBe(42)
    const { uid } = await stat(home)
    expect(uid).not.toBe(65534)
    expect((await stat(join(home, 'data', 'PG_VERSION'))).uid).toBe(uid)
    expect(execFileSync('find', [home, '-uid', '65534'], { encoding: 'utf8' })).toBe('')
    expect(await readFile(join(home, 'data', 'pg_hba.conf'), 'utf8')).not.toContain('trust')
  })

  test('a server that still runs as nobody is ended before its data are moved', async () => {
    const folder = await newFolder()
    await mkdir(join(folder, 'postgresql'), { mode: 0o700 })
    await chown(folder, 65534, 65534)
    await chown(join(folder, 'postgresql'), 65534, 65534)
    const owner = await startElsewhere(folder, { uid: 65534 })
    await query(owner.connectionString, 'create table kept as select 42 as answer')
    await owner.kill()
    await chown(folder, 0, 0)
    const postgres = await start(folder)
    expect(postgres.pid).not.toBe(owner.pid)
    expect(await query(postgres.connectionString, 'select answer from kept')).toBe(42)
    expect((await stat(join(folder, 'postgresql', 'data'))).uid).not.toBe(65534)
  })

  test('files that are linked from elsewhere are not given away', async () => {
    const folder = await newFolder()
    const first = await start(folder)
    await first.stop()
    const home = join(folder, 'postgresql')
    const secret = join(folder, 'secret')
    await writeFile(secret, 'of root', { mode: 0o600 })
    await link(secret, join(home, 'log', 'planted'))
    execFileSync('chown', ['-R', '-h', '65534:65534', join(home, 'data')])
    await chown(home, 65534, 65534)
    await expect(start(folder)).rejects.toThrow('linked from elsewhere')
    expect((await stat(secret)).uid).toBe(0)
  })

  test('no user that operations run as is taken', async () => {
    const folder = await newFolder()
    const { uid } = await chooseServerUser(join(folder, 'none'), { first: 54_320, last: 54_330 })
    expect(uid).toBeGreaterThan(54_330)
    await chown(folder, 54_325, 54_325)
    expect(await chooseServerUser(folder, { first: 54_320, last: 54_330 })).toMatchObject({ uid })
  })

  test('a data folder under a closed parent is refused with the folder to open', async () => {
    const parent = await newFolder(0o700)
    const folder = join(parent, 'deep', 'data')
    await expect(start(folder)).rejects.toMatchObject({
      code: 'folder_closed',
      message: expect.stringContaining(`chmod o+x ${parent}`),
    })
    expect(await readdir(parent)).toEqual([])
  })
}

test('an ordinary user can run it too', async () => {
  const folder = join(await newFolder(0o777), 'data')
  const owner = await startElsewhere(folder, ordinary)
  expect(owner.message).toBeUndefined()
  expect(await query(owner.connectionString, 'select 1 as one')).toBe(1)
  expect((await stat(folder)).uid).toBe(ordinary.uid ?? process.getuid?.())
})

test('a data folder that may not be written is refused with the reason', async () => {
  const owner = await startElsewhere(join(await newFolder(0o555), 'data'), ordinary)
  expect(owner).toMatchObject({
    code: 'folder_closed',
    message: expect.stringContaining('permission denied'),
  })
})

test('a server that dies is restarted, and whoever connects again goes on', async () => {
  const postgres = await start(await newFolder())
  await query(postgres.connectionString, 'create table kept as select 42 as answer')
  const before = postgres.pid
  const exit = new Promise<string>((resolve) => postgres.onExit(resolve))
  process.kill(before ?? 0, 'SIGKILL')
  expect(await exit).toBe('signal SIGKILL')
  expect(await queryAgain(postgres.connectionString, 'select answer from kept')).toBe(42)
})

test('a server whose owner was killed is taken over, not started again', async () => {
  const folder = await newFolder()
  const owner = await startElsewhere(folder)
  await owner.kill()
  expect(await query(owner.connectionString, 'select 1 as one')).toBe(1)

  const postgres = await start(folder)
  expect(postgres.pid).toBe(owner.pid)
  expect(postgres.connectionString).toBe(owner.connectionString)

  const exit = new Promise<string>((resolve) => postgres.onExit(resolve))
  process.kill(owner.pid, 'SIGKILL')
  await exit
  expect(await queryAgain(postgres.connectionString, 'select 1 as one')).toBe(1)
  expect(postgres.pid).not.toBe(owner.pid)
})

test('owner and server killed together: the data are there, recovered', async () => {
  const folder = await newFolder()
  const owner = await startElsewhere(folder)
  await query(owner.connectionString, 'create table kept as select 42 as answer')
  await owner.kill()
  process.kill(owner.pid, 'SIGKILL')
  const postgres = await start(folder)
  expect(await query(postgres.connectionString, 'select answer from kept')).toBe(42)
})

test('a data folder in use is refused, with the process that uses it', async () => {
  const folder = await newFolder()
  await start(folder)
  const second = await startElsewhere(folder)
  expect(second).toMatchObject({
    code: 'data_folder_in_use',
    message: expect.stringContaining(`${process.pid}`),
  })
  await expect(start(folder)).rejects.toMatchObject({ code: 'data_folder_in_use' })
})

test('a postmaster.pid that names another living process does not keep it from starting', async () => {
  const folder = await newFolder()
  await (await start(folder)).stop()
  const data = join(await realpath(folder), 'postgresql', 'data')
  // A process of the same user: PostgreSQL by itself refuses to start beside it.
  const { uid, gid } = await stat(data)
  const stranger = spawn('sleep', ['600'], { uid, gid, stdio: 'ignore' })
  await once(stranger, 'spawn')
  await writeFile(join(data, 'postmaster.pid'), `${stranger.pid}\n${data}\n1\n5432\n${folder}\n\n\nready\n`)
  try {
    const postgres = await start(folder)
    expect(await query(postgres.connectionString, 'select 1 as one')).toBe(1)
    expect(postgres.pid).not.toBe(stranger.pid)
    expect(stranger.exitCode).toBeNull()
  } finally {
    stranger.kill()
  }
})

test('a data folder whose path is too long for a socket, or holds spaces, works', async () => {
  const folder = join(await newFolder(), 'a long & odd näme '.repeat(7))
  const owner = await startElsewhere(folder)
  expect(owner.message).toBeUndefined()
  expect(await query(owner.connectionString, 'select 1 as one')).toBe(1)
  await owner.kill()
  const postgres = await start(folder)
  expect(postgres.pid).toBe(owner.pid)
  const { host } = postgres.connection
  expect((await stat(host)).mode & 0o777).toBe(0o700)
  await postgres.stop()
  await expect(stat(host)).rejects.toThrow('ENOENT')

  const spaced = await start(join(await newFolder(), 'with spaces & more'))
  expect(await query(spaced.connectionString, 'select 1 as one')).toBe(1)
})

test('a failed initialisation says why and leaves nothing half-done', async () => {
  const folder = await newFolder()
  await provideBinaries(cacheFolder)
  // Files may not grow beyond 2 MiB: as on a full disk, initdb dies in the middle.
  const owner = await startElsewhere(folder, { limit: 'ulimit -f 4096;' })
  expect(owner).toMatchObject({
    code: 'initialisation_failed',
    message: expect.stringContaining('nothing was left behind'),
  })
  expect(await readdir(join(folder, 'postgresql'))).toEqual(['log'])
  const postgres = await start(folder)
  expect(await query(postgres.connectionString, 'select 1 as one')).toBe(1)
})

test('data of another PostgreSQL, or a folder of something else, are refused and kept', async () => {
  const folder = await newFolder()
  const data = join(folder, 'postgresql', 'data')
  await mkdir(data, { recursive: true })
  if (root) await chmod(join(folder, 'postgresql'), 0o755)
  await writeFile(join(data, 'mine.txt'), 'mine')
  await expect(start(folder)).rejects.toMatchObject({ code: 'initialisation_failed' })
  await writeFile(join(data, 'PG_VERSION'), '14\n')
  await expect(start(folder)).rejects.toMatchObject({
    code: 'version_mismatch',
    message: expect.stringContaining('pg_dump'),
  })
  expect(await readFile(join(data, 'mine.txt'), 'utf8')).toBe('mine')
})

test('a server that cannot start says so with the end of its log, and frees the data folder', async () => {
  const folder = await newFolder()
  await (await start(folder)).stop()
  const control = join(folder, 'postgresql', 'data', 'global', 'pg_control')
  const intact = await readFile(control)
  await writeFile(control, 'damaged')
  await expect(start(folder)).rejects.toMatchObject({
    code: 'start_failed',
    message: expect.stringContaining('pg_control'),
  })
  await writeFile(control, intact)
  const postgres = await start(folder)
  expect(await query(postgres.connectionString, 'select 1 as one')).toBe(1)
})
