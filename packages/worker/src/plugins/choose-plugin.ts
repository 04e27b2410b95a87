import type { InstallablePlugin } from '@tutti/domain/plugins'
import type { Interpreter } from './interpreter.ts'

/**
 * Of uploaded plugins, the highest version first, the one for this machine: of the highest version that has one, that which
 * was packed for this very Python before others. Without any it is the first, whose wagon says what it is for.
 */
export function choosePlugin(
  found: readonly InstallablePlugin[],
  { python, platforms }: Interpreter,
): InstallablePlugin | undefined {
  const here = new Set(platforms)
  const [major, minor] = python.split('.')
  const isOf = (names: readonly string[], plugin: InstallablePlugin) =>
    plugin.supported_py_versions.some((one) => names.includes(one))
  const fitting = found.filter(
    (plugin) =>
      isAny(plugin.supported_platform) ||
      here.has(String(plugin.supported_platform).replaceAll(/[-.]/g, '_')),
  )
  const [best] = fitting
  if (best === undefined) return found[0]
  const equals = fitting.filter(({ package_version: version }) => version === best.package_version)
  return (
    equals.find((plugin) => isOf([`py${major}${minor}`, `cp${major}${minor}`], plugin)) ??
    equals.find((plugin) => plugin.supported_py_versions.length === 0 || isOf([`py${major}`], plugin)) ??
    best
  )
}

const isAny = (platform: string | null): boolean => platform === null || platform === '' || platform === 'any'
