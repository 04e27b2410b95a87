import { basename } from 'node:path'

export const isYaml = (name: string): boolean => /\.ya?ml$/.test(name)

/** `plugin.yaml` first: where one file speaks for all, it is the first. Then by name. */
export const inYamlOrder = (names: readonly string[]): readonly string[] =>
  names.toSorted((a, b) => Number(isMain(b)) - Number(isMain(a)) || (a < b ? -1 : 1))

const isMain = (name: string): boolean => /^plugin\.ya?ml$/.test(basename(name))
