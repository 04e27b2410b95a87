import { gzipSync } from 'node:zlib'
import { type TarEntry, tarOf, zipOf } from '../../storage/test/hostile-archives.ts'

export type TestWagon = {
  readonly name?: string
  readonly version?: string
  /** Keys of package.json that are another, or with undefined left out. */
  readonly metadata?: Readonly<Record<string, unknown>>
  readonly wheels?: readonly string[]
}

const wheelOf = (name: string, version: string) => `${name.replaceAll('-', '_')}-${version}-py3-none-any.whl`

export const archiveNameOf = ({ name = 'test-plugin', version = '1.0' }: TestWagon = {}) =>
  `${name.replaceAll('-', '_')}-${version}-py311-none-any.wgn`

export function wagonEntries(wagon: TestWagon = {}): TarEntry[] {
  const { name = 'test-plugin', version = '1.0' } = wagon
  const wheels = wagon.wheels ?? [wheelOf(name, version)]
  const metadata = {
    archive_name: archiveNameOf(wagon),
    created_by_wagon_version: '1.0.3',
    package_name: name,
    package_version: version,
    package_source: `/src/${name}`,
    package_build_tag: null,
    supported_platform: 'any',
    supported_python_versions: ['py311'],
    build_server_os_properties: {
      distribution: null,
      distribution_version: null,
      distribution_release: null,
    },
    wheels,
    ...wagon.metadata,
  }
  return [
    { name: `${name}/package.json`, content: JSON.stringify(metadata) },
    ...wheels.map((wheel) => ({ name: `${name}/wheels/${wheel}`, content: `wheel ${wheel}` })),
  ]
}

/** A wagon as the tool of that name makes it: a tar.gz. */
export const wagonOf = (wagon: TestWagon = {}): Buffer => gzipSync(tarOf(...wagonEntries(wagon)))

/** A plugin's YAML; JSON is YAML. */
export const pluginYaml = (
  { name = 'test-plugin', version = '1.0' }: TestWagon = {},
  content: Readonly<Record<string, unknown>> = {},
): string =>
  JSON.stringify({
    plugins: {
      test: { executor: 'central_deployment_agent', package_name: name, package_version: version },
    },
    ...content,
  })

/** A zip as `cfy plugins upload` packs it. */
export const pluginZip = (
  wagon: TestWagon = {},
  files: Readonly<Record<string, string | Buffer>> = { 'plugin.yaml': pluginYaml(wagon) },
): Buffer =>
  zipOf(
    { name: archiveNameOf(wagon), content: wagonOf(wagon) },
    ...Object.entries(files).map(([name, content]) => ({ name, content })),
  )

/** A tar of wagons with their YAML files. */
export function caravanOf(wagons: readonly TestWagon[]): Buffer {
  const folder = (wagon: TestWagon) => archiveNameOf(wagon).replace('.wgn', '')
  const metadata = Object.fromEntries(
    wagons.map((wagon) => [`${folder(wagon)}/${archiveNameOf(wagon)}`, `${folder(wagon)}/plugin.yaml`]),
  )
  return tarOf(
    { name: 'caravan/METADATA', content: JSON.stringify(metadata) },
    ...wagons.flatMap((wagon) => [
      { name: `caravan/${folder(wagon)}/${archiveNameOf(wagon)}`, content: wagonOf(wagon) },
      { name: `caravan/${folder(wagon)}/plugin.yaml`, content: pluginYaml(wagon) },
    ]),
  )
}
