// Adds to package-lock.json the optional platform packages that npm left out because the registry it asked did not
// have them (a mirror of one platform only). Without them `npm ci` calls the lock file out of step with package.json;
// with them it skips whatever is for another platform, and users of that platform get it from the full registry.
// Run it after `npm install`: node scripts/complete-lock.mjs
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(file, 'utf8'))
const added = []

for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isLocked(path, name)) continue
    lock.packages[`node_modules/${name}`] = {
      version: range.replace(/^[\^~]/, ''),
      ...platform(name),
      ...(entry.dev && { dev: true }),
      optional: true,
    }
    added.push(name)
  }
}
if (added.length > 0) {
  const { '': root, ...others } = lock.packages
  const sorted = Object.entries(others).sort(([one], [other]) => one.localeCompare(other, 'en'))
  lock.packages = { '': root, ...Object.fromEntries(sorted) }
  writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`)
}
console.log(added.length === 0 ? 'package-lock.json is complete' : `added ${added.join(', ')}`)

function isLocked(path, name) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules') - 1))) {
    if (lock.packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`]) return true
    if (folder === '') return false
  }
}

/** What a package is for, read from its name; `none` for names that say nothing (wasm builds and the like). */
function platform(name) {
  const words = name.split('/').at(-1).split(/[-.]/)
  const os = [
    'android',
    'darwin',
    'linux',
    'win32',
    'freebsd',
    'netbsd',
    'openbsd',
    'openharmony',
    'sunos',
    'aix',
  ].find(
    (one) =>
      words.includes(one) ||
      (one === 'linux' && words.some((word) => /^(linux|musl|gnu|gnueabihf)/.test(word))),
  )
  const windows = words.includes('windows') ? 'win32' : undefined
  const cpu = [
    'arm64',
    'x64',
    'ia32',
    'arm',
    'ppc64',
    's390x',
    'riscv64',
    'loong64',
    'mips64el',
    'wasm32',
  ].find((one) => words.includes(one))
  const libc = words.some((word) => word.startsWith('musl')) ? 'musl' : undefined
  return {
    ...(cpu && { cpu: [cpu] }),
    ...(os || windows ? { os: [os ?? windows] } : {}),
    ...(libc && { libc: [libc] }),
  }
}
