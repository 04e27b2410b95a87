from __future__ import annotations

from typing import Any, Dict, Sequence

from cloudify_rest_client.constants import VisibilityState
from cloudify_rest_client.responses import Item, ListResponse, optional, required
from cloudify_rest_client.sends import ResourceClient, sends


class Workflow(Item):
    id = required('name')
    name = parameters = required()
    is_available = optional(default=True)
    availability_rules = optional()


class DeploymentScalingGroup(Item):
    name = members = properties = required()


class Deployment(Item):
    id = blueprint_id = created_by = inputs = outputs = capabilities = description = site_name = optional()
    visibility = runtime_only_evaluation = labels = deployment_groups = installation_status = optional()
    deployment_status = sub_services_status = sub_environments_status = sub_services_count = optional()
    sub_environments_count = environment_type = latest_execution_id = latest_execution_workflow_id = optional()
    latest_execution_status = latest_execution_total_operations = latest_execution_finished_operations = optional()
    tenant_name = display_name = policy_types = policy_triggers = groups = scaling_groups = optional()
    unavailable_instances = drifted_instances = optional()
    workflows = optional(of=Workflow)


class DeploymentOutputs(Item):
    deployment_id = outputs = required()


class DeploymentCapabilities(Item):
    deployment_id = capabilities = required()


class DeploymentGroup(Item):
    deployment_ids = default_inputs = default_blueprint_id = required()
    labels = description = id = visibility = creation_counter = optional()


class DeploymentOutputsClient(ResourceClient):
    @sends('GET /deployments/{deployment_id}/outputs')
    def get(self, deployment_id: str) -> DeploymentOutputs: ...


class DeploymentCapabilitiesClient(ResourceClient):
    @sends('GET /deployments/{deployment_id}/capabilities')
    def get(self, deployment_id: str) -> DeploymentCapabilities: ...

    def list(self, deployment_id: str | None, _include: Sequence[str] | None = None,
             constraints: Dict[str, Any] | None = None, **kwargs: Any) -> ListResponse[DeploymentCapabilities]:
        within = {} if deployment_id is None else {'deployment_id': deployment_id}
        return self._search(_include, dict(constraints or {}, **within), **kwargs)

    @sends('POST /searches/capabilities', rest='query')
    def _search(self, _include: Sequence[str] | None, constraints: Dict[str, Any],
                **kwargs: Any) -> ListResponse[DeploymentCapabilities]: ...


class DeploymentScalingGroupsClient(ResourceClient):
    def list(self, blueprint_id: str | None = None, deployment_id: str | None = None,
             constraints: Dict[str, Any] | None = None, _include: Sequence[str] | None = None,
             **kwargs: Any) -> ListResponse[DeploymentScalingGroup]:
        return self._search(blueprint_id, deployment_id, {} if constraints is None else constraints, _include, **kwargs)

    @sends('POST /searches/scaling-groups', rest='query', query='blueprint_id deployment_id')
    def _search(self, blueprint_id: str | None, deployment_id: str | None, constraints: Dict[str, Any],
                _include: Sequence[str] | None, **kwargs: Any) -> ListResponse[DeploymentScalingGroup]: ...


class DeploymentsClient(ResourceClient):
    def __init__(self, api: Any) -> None:
        super().__init__(api)
        self.outputs = DeploymentOutputsClient(api)
        self.capabilities = DeploymentCapabilitiesClient(api)
        self.scaling_groups = DeploymentScalingGroupsClient(api)

    @sends('GET /deployments', search='/searches/deployments')
    def list(self, _include: Sequence[str] | None = None, sort: str | None = None, is_descending: bool = False,
             filter_id: str | None = None, filter_rules: Sequence[Any] | None = None,
             constraints: Dict[str, Any] | None = None, **kwargs: Any) -> ListResponse[Deployment]: ...

    @sends('GET /deployments/{deployment_id}')
    def get(self, deployment_id: str, _include: Sequence[str] | None = None, all_sub_deployments: bool = True,
            include_workdir: bool = False) -> Deployment: ...

    @sends('PUT /deployments/{deployment_id}', status=201, query='async_create')
    def create(self, blueprint_id: str, deployment_id: str, inputs: Dict[str, Any] | None = None,
               visibility: str = VisibilityState.TENANT, skip_plugins_validation: bool = False,
               site_name: str | None = None, runtime_only_evaluation: bool = False,
               labels: Sequence[Dict[str, str]] | None = None, display_name: str | None = None,
               async_create: bool | None = None, created_at: Any = None, created_by: str | None = None,
               workflows: Any = None, groups: Any = None, scaling_groups: Any = None, policy_triggers: Any = None,
               policy_types: Any = None, outputs: Any = None, capabilities: Any = None, resource_tags: Any = None,
               description: str | None = None, deployment_status: str | None = None,
               installation_status: str | None = None, sub_services_status: str | None = None,
               sub_environments_status: str | None = None, sub_services_count: int | None = None,
               sub_environments_count: int | None = None, _workdir_zip: str | None = None) -> Deployment:
        """`async_create`: does not wait until it has been created. What comes after it restores a deployment."""

    @sends('DELETE /deployments/{deployment_id}', wire={'with_logs': 'delete_logs'}, unsent='delete_db_mode')
    def delete(self, deployment_id: str, force: bool = False, delete_db_mode: bool = False, with_logs: bool = False,
               recursive: bool = False) -> None:
        """`delete_db_mode` means nothing any more."""

    @sends('PATCH /deployments/{deployment_id}/set-visibility')
    def set_visibility(self, deployment_id: str, visibility: str) -> Dict[str, Any]: ...

    @sends('POST /deployments/{deployment_id}/set-site')
    def set_site(self, deployment_id: str, site_name: str | None = None,
                 detach_site: bool = False) -> Dict[str, Any]: ...

    @sends('PATCH /deployments/{deployment_id}')
    def update_labels(self, deployment_id: str, labels: Sequence[Dict[str, str]], creator: str | None = None,
                      created_at: Any = None) -> Deployment:
        """These labels in place of those that it has."""

    @sends('PATCH /deployments/{deployment_id}')
    def set_attributes(self, deployment_id: str, **kwargs: Any) -> Deployment: ...


class DeploymentGroupsClient(ResourceClient):
    @sends('GET /deployment-groups')
    def list(self, _include: Sequence[str] | None = None, **kwargs: Any) -> ListResponse[DeploymentGroup]: ...

    @sends('GET /deployment-groups/{group_id}')
    def get(self, group_id: str) -> DeploymentGroup: ...

    @sends('PUT /deployment-groups/{group_id}',
           null='description blueprint_id default_inputs labels filter_id deployment_ids new_deployments '
                'deployments_from_group')
    def put(self, group_id: str, visibility: str = VisibilityState.TENANT, description: str | None = None,
            blueprint_id: str | None = None, default_inputs: Dict[str, Any] | None = None,
            labels: Sequence[Dict[str, str]] | None = None, filter_id: str | None = None,
            deployment_ids: Sequence[str] | None = None, new_deployments: Sequence[Dict[str, Any]] | None = None,
            deployments_from_group: str | None = None, created_by: str | None = None, created_at: Any = None,
            creation_counter: int | None = None) -> DeploymentGroup:
        """Creates the group, or changes what is given."""

    def add_deployments(self, group_id: str, deployment_ids: Sequence[str] | None = None, count: int | None = None,
                        new_deployments: Sequence[Dict[str, Any]] | None = None, filter_id: str | None = None,
                        filter_rules: Sequence[Any] | None = None, deployments_from_group: str | None = None,
                        batch_size: int = 5000) -> DeploymentGroup:
        """`new_deployments` are created: `{'id': …, 'inputs': …}`; `count` is for as many that are like all others.
        Both they and ids are sent `batch_size` at a time."""
        if count is not None:
            if new_deployments:
                raise ValueError('Give count or new_deployments, not both')
            new_deployments = [{}] * count
        once = {'filter_id': filter_id, 'filter_rules': filter_rules, 'deployments_from_group': deployments_from_group}
        in_turn = {'deployment_ids': deployment_ids, 'new_deployments': new_deployments}
        longest = max(len(members or []) for members in in_turn.values())
        for at in range(0, max(longest, 1), batch_size):
            batch = dict({} if at else once, **{name: members[at:at + batch_size] for name, members in in_turn.items()
                                                if members})
            group = self._add(group_id, {name: value for name, value in batch.items() if value})
        return group

    def remove_deployments(self, group_id: str, deployment_ids: Sequence[str] | None = None,
                           filter_id: str | None = None, filter_rules: Sequence[Any] | None = None,
                           deployments_from_group: str | None = None) -> DeploymentGroup:
        """Out of the group; they are not deleted."""
        members = {'deployment_ids': deployment_ids, 'filter_id': filter_id, 'filter_rules': filter_rules,
                   'deployments_from_group': deployments_from_group}
        return self._remove(group_id, {name: value for name, value in members.items() if value is not None})

    @sends('DELETE /deployment-groups/{group_id}', wire={'with_logs': 'delete_logs'})
    def delete(self, group_id: str, delete_deployments: bool = False, force: bool = False, with_logs: bool = False,
               recursive: bool = False) -> Any: ...

    @sends('PATCH /deployment-groups/{group_id}')
    def _add(self, group_id: str, add: Dict[str, Any]) -> DeploymentGroup: ...

    @sends('PATCH /deployment-groups/{group_id}')
    def _remove(self, group_id: str, remove: Dict[str, Any]) -> DeploymentGroup: ...

