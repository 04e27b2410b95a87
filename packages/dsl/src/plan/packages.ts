/** Of one version of a package: neither holds a space. */
export const packageText = (name: string, version: string): string => `${name} ${version}`

type Plugins =
  | readonly { readonly package_name?: string | null; readonly package_version?: string | null }[]
  | null

type Lists = Partial<
  Record<
    'deployment_plugins_to_install' | 'host_agent_plugins_to_install' | 'workflow_plugins_to_install',
    Plugins
  >
>

/** The packages that a plan uses in a certain version, as `packageText`, each once. */
export function packagesOf(plan: Lists): readonly string[] {
  const lists = [
    plan.deployment_plugins_to_install,
    plan.host_agent_plugins_to_install,
    plan.workflow_plugins_to_install,
  ]
  const texts = lists
    .flatMap((list) => list ?? [])
    .flatMap(({ package_name: name, package_version: version }) =>
      name == null || version == null ? [] : [packageText(name, version)],
    )
  return [...new Set(texts)]
}
