/**
 * The built-in types, by their paths below the manager's resource root (docs/reference/language/built-in-types.md,
 * "Files").
 */
export const TYPE_FILES: readonly string[] = [
  'cloudify/types/types.yaml',
  'cloudify/types/types_1_3.yaml',
  'cloudify/types/types_1_4.yaml',
]

/** Where such a file stands in this package; reading it is the caller's part. */
export function typeFileUrl(path: string): URL {
  return new URL(`../resources/${path}`, import.meta.url)
}
