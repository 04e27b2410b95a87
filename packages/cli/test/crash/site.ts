import { chmod, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { isRunning, killProcess, processesIn, processesWith } from './process-table.ts'
import { launch, type TuttiProcess } from './tutti-process.ts'
import { until } from './until.ts'

/** A folder of one test: its processes, their data and what they write; all of it goes with `remove`. */
export type Site = {
  readonly folder: string
  /** In the environment of every process that is started here and of all that those start. */
  readonly marker: string
  start(name: string, args: readonly string[], variables?: Readonly<Record<string, string>>): TuttiProcess
  /** Ends what still runs and removes everything. */
  remove(): Promise<void>
}

/** Runs a test at a site of its own; when it fails, what the processes wrote last is part of the error. */
export async function atSite(test: (site: Site) => Promise<void>): Promise<void> {
  const site = await openSite()
  try {
    await test(site)
  } catch (error) {
    const names = (await readdir(site.folder)).filter((name) => name.endsWith('.log'))
    const logs = await Promise.all(
      names.map(
        async (name) => `--- ${name}\n${(await readFile(join(site.folder, name), 'utf8')).slice(-6_000)}`,
      ),
    )
    console.log(logs.join('\n'))
    throw error
  } finally {
    await site.remove()
  }
}

const prefix = 'tutti-crash-'

async function openSite(): Promise<Site> {
  await removeAbandoned()
  const folder = await mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
  // The database of root runs as another user, who has to pass through.
  await chmod(folder, 0o711)
  await mkdir(join(folder, 'config'))
  const marker = basename(folder)
  const started: TuttiProcess[] = []

  return {
    folder,
    marker,
    start(name, args, variables = {}) {
      const running = launch(args, join(folder, `${name}.log`), {
        TUTTI_CONFIG_FOLDER: join(folder, 'config'),
        CRASH_TEST_MARKER: marker,
        TUTTI_RESOURCES_FOLDER: join(folder, `${name}-resources`),
        ...variables,
      })
      started.push(running)
      return running
    },
    async remove() {
      for (const one of started) one.kill('SIGTERM')
      const patience = setTimeout(() => {
        for (const one of started) one.kill('SIGKILL')
      }, 20_000)
      await Promise.all(started.map(({ ended }) => ended))
      clearTimeout(patience)
      await removeSite(folder)
    },
  }
}

/** Sites of test runs that were killed themselves, with what still runs there. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix)) continue
    const owner = Number.parseInt(name.slice(prefix.length), 10)
    // What another user left is that user's to remove.
    if (!isRunning(owner)) await removeSite(join(tmpdir(), name)).catch(() => undefined)
  }
}

async function removeSite(folder: string): Promise<void> {
  await until(`the last process in ${folder}`, 20_000, async () => {
    // The database's processes keep its data folder as their own and know no marker.
    const left = [...(await processesWith(basename(folder))), ...(await processesIn(folder))]
    for (const { pid } of left) killProcess(pid)
    return left.length === 0
  })
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}
