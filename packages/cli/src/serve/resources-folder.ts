import { randomUUID } from 'node:crypto'
import { chmod, link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Configuration } from '../configuration/settings.ts'
import { UsageError } from '../errors/usage-error.ts'

/** Where blueprints and plugins of the community look. */
export const usualFolder = '/opt/manager/resources'

type Choice = Pick<Configuration, 'dataFolder' | 'resourcesFolder'>

/** Whose a folder is: the database, and where its worker keeps everything else. */
type Mark = { readonly installation: string; readonly dataFolder: string }

/**
 * The folder that is named; else the usual one, where root starts Tutti and nobody else has it; else one in the data
 * folder. It is marked with the database that it belongs to: workers that know nothing of each other would remove each
 * other's files.
 *
 * @throws UsageError when the folder that is named belongs to another database
 */
export async function chooseResourcesFolder(
  { dataFolder, resourcesFolder }: Choice,
  installation: string,
  { usual = usualFolder, isRoot = process.getuid?.() === 0 } = {},
): Promise<string> {
  const mark = { installation, dataFolder }
  if (resourcesFolder !== undefined) {
    if (await claim(resourcesFolder, mark)) return resourcesFolder
    throw new UsageError(
      `--resources-folder: ${resourcesFolder} belongs to another Tutti, with a database of its own`,
      `Name another folder, or remove the file ${markOf(resourcesFolder)} when that one is no more`,
    )
  }
  if (isRoot && (await isTuttisOrNew(usual)) && (await claim(usual, mark))) return usual
  const own = join(dataFolder, 'resources')
  // A mark of another database is one of a database that was here before.
  await rm(markOf(own), { force: true })
  await claim(own, mark)
  return own
}

const insideOf = (folder: string): string => join(folder, '.tutti')
const markOf = (folder: string): string => join(insideOf(folder), 'database')

/** What is there and has no mark is another manager's. */
const isTuttisOrNew = async (folder: string): Promise<boolean> =>
  !(await isThere(folder)) || (await readMark(folder)) !== undefined

/** Marks the folder unless another one has it that is still there. Of several that begin together the first gets it. */
async function claim(folder: string, mark: Mark): Promise<boolean> {
  const owner = await readMark(folder)
  if (owner !== undefined && owner.installation !== mark.installation && !(await isThere(owner.dataFolder))) {
    await rm(markOf(folder), { force: true })
  }
  await makeOpen(folder)
  await mkdir(insideOf(folder), { recursive: true, mode: 0o700 })
  const written = join(insideOf(folder), `database.${randomUUID()}`)
  await writeFile(written, JSON.stringify(mark), { mode: 0o600 })
  try {
    await link(written, markOf(folder))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(written, { force: true })
  }
  return (await readMark(folder))?.installation === mark.installation
}

/** Whatever the umask is, what is made on the way is open for passing: operations may run as other users. */
async function makeOpen(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true })
  if (first === undefined) return
  for (let made = folder; made.length >= first.length; made = dirname(made)) await chmod(made, 0o711)
}

async function readMark(folder: string): Promise<Mark | undefined> {
  try {
    return JSON.parse(await readFile(markOf(folder), 'utf8')) as Mark
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false
      throw error
    },
  )
