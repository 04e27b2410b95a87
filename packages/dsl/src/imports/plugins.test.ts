import { expect, test } from 'vitest'
import { planOf } from '../../test/parse.ts'
import {
  choosePluginFile,
  compareVersions,
  derivedPluginYaml,
  matchesSpecifiers,
  newestMatching,
  prefixRuleCandidates,
  typesFileOfUrl,
} from '../index.ts'

test('versions are ordered as PEP 440 orders them', () => {
  const ordered = [
    '1.0.dev1',
    '1.0a1',
    '1.0b2',
    '1.0rc1',
    '1.0',
    '1.0+local',
    '1.0.post1',
    '1.0.1',
    '1.2',
    '1.10',
    '1!0.1',
  ]
  expect(ordered.toReversed().toSorted(compareVersions)).toEqual(ordered)
  expect(compareVersions('1.0', '1.0.0')).toBe(0)
})

test.each([
  ['1.5', ['>=1.2', '<2'], true],
  ['2.0', ['>=1.2', '<2'], false],
  ['1.4.2', ['~=1.4.1'], true],
  ['1.5.0', ['~=1.4.1'], false],
  ['1.2.3', ['==1.2.*'], true],
  ['1.3', ['!=1.3.*'], false],
  ['1.3', ['1.3'], true],
  ['1.3.0', ['1.3'], false],
  ['1.3.0', ['==1.3'], true],
  ['2.0rc1', ['<2.0'], false],
  ['2.0rc1', ['>=2.0rc1'], true],
  ['2.0.post1', ['>2.0'], false],
  ['2.0rc1', ['>1.0a1'], false],
  ['1.3', ['>=1.2.*'], false],
  ['anything', [], true],
])('%s with %j fits: %j', (version, specifiers, expected) => {
  expect(matchesSpecifiers(version, specifiers)).toBe(expected)
})

test('the newest plugin that fits is taken', () => {
  expect(newestMatching(['1.2', '1.10', '2.0'], ['<2'])).toBe('1.10')
  expect(newestMatching(['1.2'], ['>2'])).toBeNull()
})

test('a plugin’s YAML for the blueprint’s version goes before an older one and the plain one', () => {
  const files = ['plugin.yaml', 'plugin_1_3.yaml', 'v2_plugin_1_4.yaml', 'README.md']
  expect(choosePluginFile(files, [1, 4])).toBe('v2_plugin_1_4.yaml')
  expect(choosePluginFile(files, [1, 5])).toBe('v2_plugin_1_4.yaml')
  expect(choosePluginFile(files, [1, 3])).toBe('plugin_1_3.yaml')
  expect(choosePluginFile(files, [1, 2])).toBe('plugin.yaml')
  expect(choosePluginFile([], [1, 2])).toBeNull()
})

test('prefix rules are tried before the location itself', () => {
  const rules = [['http://a/', 'file:///a/']] as const
  expect(prefixRuleCandidates('http://a/x', rules, true)).toEqual(['file:///a/x', 'http://a/x'])
  expect(prefixRuleCandidates('http://a/x', rules, false)).toEqual(['file:///a/x'])
  expect(prefixRuleCandidates('http://b/x', rules, false)).toEqual(['http://b/x'])
})

test('URLs of released types files stand for our own', () => {
  expect(typesFileOfUrl('https://cloudify.co/spec/cloudify/5.0.5/types.yaml')).toBe(
    'cloudify/types/types_1_3.yaml',
  )
  expect(typesFileOfUrl('http://www.getcloudify.org/spec/cloudify/6.4/types.yaml')).toBe(
    'cloudify/types/types.yaml',
  )
  expect(typesFileOfUrl('https://example.com/types.yaml')).toBeNull()
})

test('a plugin YAML for 1_3 blueprints is made from a newer one', async () => {
  const older = derivedPluginYaml(`tosca_definitions_version: cloudify_dsl_1_4
plugins: {p: {executor: central_deployment_agent, package_name: p, package_version: '1.0'}}
node_types: {t: {properties: {secret: {type: secret_key}, on: {type: boolean, default: yes}}}}
workflows:
  w:
    mapping: p.f
    parameters:
      d: {type: deployment_id, constraints: [{tenants: [a]}]}
      list: {type: list, item_type: node_id, default: []}
    availability_rules: {node_instances_active: [all]}`)
  const plan = await planOf('tosca_definitions_version: cloudify_dsl_1_3\nimports: ["plugin:p"]', {
    imports: { 'plugin:p': older },
  })
  expect(plan.workflows.w).toMatchObject({ parameters: { d: { type: 'string' } }, availability_rules: null })
  expect(Object.keys(plan.workflows.w?.parameters ?? {})).toEqual(['d'])
})
