export type LabelledTable = {
  readonly table: 'blueprint_labels' | 'deployment_labels' | 'deployment_group_labels'
  readonly idColumn: 'blueprint_id' | 'deployment_id' | 'deployment_group_id'
  /** What has the labels. */
  readonly owners: 'blueprints' | 'deployments' | 'deployment_groups'
  /** Keys that only Tutti itself sets and removes; their values are ids of deployments. */
  readonly computed: readonly string[]
}

export const blueprintLabels: LabelledTable = {
  table: 'blueprint_labels',
  idColumn: 'blueprint_id',
  owners: 'blueprints',
  computed: [],
}
export const deploymentLabels: LabelledTable = {
  table: 'deployment_labels',
  idColumn: 'deployment_id',
  owners: 'deployments',
  computed: ['csys-consumer-id'],
}

export const deploymentGroupLabels: LabelledTable = {
  table: 'deployment_group_labels',
  idColumn: 'deployment_group_id',
  owners: 'deployment_groups',
  computed: [],
}
