/**
 * `npm run build [FOLDER] [--noCheck]`: the npm package `tutti`, in build/tutti unless another folder is given.
 * `--noCheck` leaves out what `npm run check` has seen: whether the types are right.
 *
 * Our packages are compiled one by one into its node_modules/@tutti and travel inside it (bundleDependencies),
 * so that they keep their names, boundaries and resource files; what comes from others are ordinary
 * dependencies with exact versions. `npm pack build/tutti` makes the tarball.
 */
import { spawnSync } from 'node:child_process'
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

type Manifest = {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly engines: Readonly<Record<string, string>>
  readonly exports: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { noCheck: { type: 'boolean', default: false } },
})
const target = resolve(positionals[0] ?? join(root, 'build', 'tutti'))
const bundled = join(target, 'node_modules', '@tutti')

async function build(): Promise<void> {
  await rm(target, { recursive: true, force: true })
  await mkdir(bundled, { recursive: true })
  compile()
  const manifests: Manifest[] = []
  for (const folder of await readdir(join(root, 'packages'))) {
    const manifest = await readManifest(join(root, 'packages', folder))
    await completePackage(folder, manifest)
    manifests.push(manifest)
  }
  await copy('python', join(bundled, 'worker', 'python'), isNoPythonTest)
  await copy('examples/hello-world', join(target, 'examples', 'hello-world'))
  await copy('README.md', join(target, 'README.md'))
  await writeCommand()
  await writeJson(join(target, 'package.json'), publishedManifest(manifests))
}

function compile(): void {
  const runner = join(root, 'scripts', 'with-node.mjs')
  const checking = values.noCheck ? ['--noCheck'] : []
  const project = join(root, 'tsconfig.build.json')
  const args = ['--bin', 'tsc', '--project', project, '--outDir', bundled, ...checking]
  const { status } = spawnSync(process.execPath, [runner, ...args], { cwd: root, stdio: 'inherit' })
  if (status !== 0) throw new Error('the packages do not compile: see the messages of tsc above')
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Manifest
}

/** What tsc does not make: the manifest, resource folders, and files of `src` that are not TypeScript. */
async function completePackage(folder: string, { name, version, license, exports }: Manifest): Promise<void> {
  const [source, made] = [join(root, 'packages', folder), join(bundled, folder)]
  await cp(join(source, 'src'), join(made, 'src'), { recursive: true, filter: isNoTypeScript })
  await cp(join(source, 'resources'), join(made, 'resources'), { recursive: true }).catch(unlessMissing)
  // Entries for tests are not compiled.
  const entries = Object.entries(exports).filter(([path]) => path !== './testing')
  await writeJson(join(made, 'package.json'), {
    name,
    version,
    license,
    type: 'module',
    exports: Object.fromEntries(entries.map(([path, file]) => [path, compiledEntry(file)])),
  })
}

const isNoTypeScript = (path: string) => !path.endsWith('.ts')

function compiledEntry(file: string): { types: string; default: string } {
  return { types: file.replace(/\.ts$/, '.d.ts'), default: file.replace(/\.ts$/, '.js') }
}

function isNoPythonTest(path: string): boolean {
  const isTest = basename(path) === 'tests' || path.endsWith('.test.ts')
  // What Python and pip leave beside the sources.
  const isMade = ['__pycache__', 'build'].includes(basename(path)) || /\.(pyc|egg-info)$/.test(path)
  return !isTest && !isMade
}

async function copy(from: string, to: string, filter: (path: string) => boolean = () => true): Promise<void> {
  await cp(join(root, from), to, { recursive: true, filter })
}

function unlessMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

/** npm makes links to files of `bin`, so it must be one of this package and not of a bundled one. */
async function writeCommand(): Promise<void> {
  const file = join(target, 'bin', 'tutti.js')
  await mkdir(dirname(file))
  await writeFile(file, "#!/usr/bin/env node\nimport '../node_modules/@tutti/cli/src/main.js'\n")
  await chmod(file, 0o755)
}

function publishedManifest(manifests: readonly Manifest[]) {
  const cli = manifests.find(({ name }) => name === '@tutti/cli')
  if (cli === undefined) throw new Error('packages/cli is missing: it has the command and the version')
  return {
    name: 'tutti',
    version: cli.version,
    description: 'An orchestration manager that speaks the REST API of Cloudify Manager',
    license: cli.license,
    type: 'module',
    engines: cli.engines,
    bin: { tutti: 'bin/tutti.js' },
    files: ['bin', 'examples', 'README.md'],
    // npm packs and keeps bundled packages only when they are dependencies too; it fetches none of them.
    dependencies: {
      ...Object.fromEntries(manifests.map(({ name, version }) => [name, version])),
      ...foreign(manifests, 'dependencies'),
    },
    optionalDependencies: foreign(manifests, 'optionalDependencies'),
    bundleDependencies: manifests.map(({ name }) => name),
  }
}

/** The union of what our packages need from others. @throws Error when two want different versions */
function foreign(manifests: readonly Manifest[], kind: 'dependencies' | 'optionalDependencies') {
  const wanted = new Map<string, string>()
  for (const manifest of manifests) {
    for (const [name, version] of Object.entries(manifest[kind] ?? {})) {
      if (name.startsWith('@tutti/')) continue
      const other = wanted.get(name) ?? version
      if (other !== version) {
        throw new Error(
          `${manifest.name} wants ${name} ${version}, another package ${other}: choose one version`,
        )
      }
      wanted.set(name, version)
    }
  }
  return Object.fromEntries([...wanted].sort(([a], [b]) => (a < b ? -1 : 1)))
}

async function writeJson(file: string, value: unknown): Promise<void> {
  await writeFile(file, `${JSON.stringify(value, null, 2)}\n`)
}

await build()
console.log(`built ${target}`)
