import { ApiError } from '@tutti/api'

/** Of two that are the same, nobody could say which one a blueprint means. */
export const samePlugin = (plugin: { readonly package_name: string; readonly package_version: string }) =>
  new ApiError(
    'conflict_error',
    `Plugin ${plugin.package_name} ${plugin.package_version} already exists on this tenant or with global visibility, for ` +
      'the same platform and distribution or as the same wagon',
    { hint: 'List plugins with _include=id,package_name,package_version to see which' },
  )
