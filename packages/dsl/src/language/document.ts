import { deploymentSettingsShape } from '../elements/deployment-settings.ts'
import { groupsShape } from '../elements/group.ts'
import { inputsShape } from '../elements/input.ts'
import { labelsShape } from '../elements/label.ts'
import { nodeTemplatesShape } from '../elements/node-template.ts'
import { nodeTypesShape } from '../elements/node-type.ts'
import { outputsShape } from '../elements/output.ts'
import { pluginsShape } from '../elements/plugin.ts'
import { policiesShape } from '../elements/policy.ts'
import { policyTriggersShape, policyTypesShape } from '../elements/policy-type.ts'
import { relationshipTypesShape } from '../elements/relationship-type.ts'
import { workflowsShape } from '../elements/workflow.ts'
import { dataTypesShape } from '../types/data-type.ts'
import { anything, definitions, type Field, list, optional, text } from './shape.ts'

/** How a section of two files becomes one (docs/reference/language/README.md, "Sections"). */
export type MergeClass =
  /** The main file's only. */
  | 'main'
  /** Processed or of use within its file only. */
  | 'dropped'
  /** The first file's, whole. */
  | 'first'
  /** Union; the same key twice is an error. */
  | 'union'
  /** As `union` since 1_3; before, two files that hold the section are an error. */
  | 'union since 1_3'
  /** As `union since 1_3`, but the earlier file's value stays. */
  | 'earlier wins'
  /** Union; a later file fills in what an earlier lacks. */
  | 'fill in'
  /** Two files with the section are an error. */
  | 'never'
  /** One after the other. */
  | 'appended'

export interface Section extends Field {
  readonly merge: MergeClass
}

function section(merge: MergeClass, field: Field): Section {
  return { ...field, merge }
}

/** Every top-level section (docs/reference/language/README.md, "Sections"). */
export const SECTIONS: { readonly [name: string]: Section } = {
  tosca_definitions_version: section('main', optional(text)),
  imports: section('dropped', optional(anything)),
  dsl_definitions: section('dropped', optional({ kind: 'collection' }, [1, 2])),
  description: section('first', optional(text, [1, 2])),
  metadata: section('first', optional(definitions(anything))),
  inputs: section('union since 1_3', optional(inputsShape)),
  plugins: section('union', optional(pluginsShape)),
  node_types: section('union', optional(nodeTypesShape)),
  relationships: section('union', optional(relationshipTypesShape)),
  node_templates: section('union since 1_3', optional(nodeTemplatesShape)),
  data_types: section('union', optional(dataTypesShape, [1, 2])),
  workflows: section('fill in', optional(workflowsShape)),
  policy_types: section('union', optional(policyTypesShape)),
  policy_triggers: section('union', optional(policyTriggersShape)),
  groups: section('union', optional(groupsShape)),
  policies: section('never', optional(policiesShape, [1, 3])),
  outputs: section('union since 1_3', optional(outputsShape)),
  capabilities: section('union since 1_3', optional(outputsShape)),
  labels: section('earlier wins', optional(labelsShape)),
  blueprint_labels: section('earlier wins', optional(labelsShape)),
  resource_tags: section('earlier wins', optional(definitions({ kind: 'anything', texts: 'name' }), [1, 3])),
  deployment_settings: section('never', optional(deploymentSettingsShape)),
  imported_blueprints: section('appended', optional(list(text))),
  namespaces_mapping: section('union', optional(definitions(text))),
}
