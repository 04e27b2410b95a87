from __future__ import annotations

from typing import Any, Dict, Sequence

from cloudify_rest_client.responses import Item, ListResponse, optional, required
from cloudify_rest_client.sends import ResourceClient, sends


class Execution(Item):
    TERMINATED = 'terminated'
    FAILED = 'failed'
    CANCELLED = 'cancelled'
    PENDING = 'pending'
    STARTED = 'started'
    CANCELLING = 'cancelling'
    FORCE_CANCELLING = 'force_cancelling'
    KILL_CANCELLING = 'kill_cancelling'
    QUEUED = 'queued'
    SCHEDULED = 'scheduled'
    END_STATES = [TERMINATED, FAILED, CANCELLED]

    id = deployment_id = blueprint_id = status = status_display = error = workflow_id = created_at = optional()
    started_at = ended_at = created_by = scheduled_for = optional()
    parameters = optional(default={})
    is_system_workflow = is_dry_run = total_operations = finished_operations = optional(default=False)


class ExecutionGroup(Item):
    id = required()
    execution_ids = status = deployment_group_id = workflow_id = concurrency = optional()


class ExecutionsClient(ResourceClient):
    def list(self, _include: Sequence[str] | None = None, **kwargs: Any) -> ListResponse[Execution]:
        """`include_system_workflows`: those that belong to the manager itself too."""
        system = kwargs.pop('include_system_workflows', kwargs.pop('_include_system_workflows', False))
        return self._list(_include, _include_system_workflows=system, **kwargs)

    @sends('GET /executions/{execution_id}')
    def get(self, execution_id: str, _include: Sequence[str] | None = None) -> Execution: ...

    @sends('GET /executions/{execution_id}/should-start')
    def should_start(self, execution_id: str) -> Dict[str, Any]: ...

    @sends('PATCH /executions/{execution_id}')
    def update(self, execution_id: str, status: str, error: str | None = None) -> Execution: ...

    def create(self, deployment_id: str, workflow_id: str, parameters: Dict[str, Any] | None = None,
               allow_custom_parameters: bool = False, force: bool = False, dry_run: bool = False, queue: bool = False,
               schedule: Any = None, force_status: str | None = None, created_by: str | None = None,
               created_at: Any = None, started_at: Any = None, ended_at: Any = None, execution_id: str | None = None,
               wait_after_fail: int = 600, is_system_workflow: bool | None = None,
               error: str | None = None) -> Execution:
        """Starts a workflow, or has it start later: at the time `schedule`, or with `queue` when those before it have
        ended. `wait_after_fail`: for how many seconds operations that run may go on after another has failed."""
        return self._create(
            deployment_id, workflow_id, parameters, _text(allow_custom_parameters), _text(force), _text(dry_run),
            _text(queue), schedule, force_status, created_by, created_at, started_at, ended_at, execution_id,
            wait_after_fail, is_system_workflow, error)

    start = create

    def cancel(self, execution_id: str, force: bool = False, kill: bool = False) -> Execution:
        return self._act(execution_id, 'kill' if kill else 'force-cancel' if force else 'cancel')

    def resume(self, execution_id: str, force: bool = False) -> Execution:
        return self._act(execution_id, 'force-resume' if force else 'resume')

    def requeue(self, execution_id: str) -> Execution:
        return self._act(execution_id, 'requeue')

    def delete(self, to_datetime: Any = None, keep_last: int | None = None, **kwargs: Any) -> int:
        """Deletes executions that have ended: those before a time, or all but the last ones. How many."""
        return int(self._delete(to_datetime, keep_last, **kwargs)['items'][0]['count'])

    @sends('GET /executions')
    def _list(self, _include: Sequence[str] | None = None, **kwargs: Any) -> ListResponse[Execution]: ...

    @sends('POST /executions', status=201, wire={'execution_id': 'id', 'schedule': 'scheduled_time'},
           null='parameters schedule force_status created_by created_at started_at ended_at execution_id '
                'is_system_workflow error')
    def _create(self, deployment_id: str, workflow_id: str, parameters: Dict[str, Any] | None,
                allow_custom_parameters: str, force: str, dry_run: str, queue: str, schedule: Any,
                force_status: str | None, created_by: str | None, created_at: Any, started_at: Any, ended_at: Any,
                execution_id: str | None, wait_after_fail: int, is_system_workflow: bool | None,
                error: str | None) -> Execution: ...

    @sends('POST /executions/{execution_id}')
    def _act(self, execution_id: str, action: str) -> Execution: ...

    @sends('DELETE /executions', body='to_datetime keep_last', rest='query')
    def _delete(self, to_datetime: Any = None, keep_last: int | None = None, **kwargs: Any) -> Dict[str, Any]: ...


class ExecutionGroupsClient(ResourceClient):
    @sends('GET /execution-groups')
    def list(self, _include: Sequence[str] | None = None, **kwargs: Any) -> ListResponse[ExecutionGroup]: ...

    @sends('GET /execution-groups/{execution_group_id}')
    def get(self, execution_group_id: str, _include: Sequence[str] | None = None) -> ExecutionGroup: ...

    @sends('POST /execution-groups', wire={'executions': 'associated_executions'}, null='default_parameters parameters id')
    def create(self, deployment_group_id: str, workflow_id: str, executions: Sequence[str], force: bool = False,
               default_parameters: Dict[str, Any] | None = None, parameters: Dict[str, Any] | None = None,
               concurrency: int = 5, created_by: str | None = None, created_at: Any = None,
               id: str | None = None) -> ExecutionGroup:
        """Makes a group of executions that there are already."""

    @sends('POST /execution-groups', null='default_parameters parameters')
    def start(self, deployment_group_id: str, workflow_id: str, force: bool = False,
              default_parameters: Dict[str, Any] | None = None, parameters: Dict[str, Any] | None = None,
              concurrency: int = 5) -> ExecutionGroup:
        """Starts a workflow on each deployment of the group, `concurrency` at a time. `parameters` are by deployment."""

    def cancel(self, execution_group_id: str, force: bool = False, kill: bool = False) -> ExecutionGroup:
        return self._act(execution_group_id, 'kill' if kill else 'force-cancel' if force else 'cancel')

    def resume(self, execution_group_id: str, force: bool = False) -> ExecutionGroup:
        return self._act(execution_group_id, 'force-resume' if force else 'resume')

    @sends('PATCH /execution-groups/{execution_group_id}', null='success_group failed_group',
           wire={'success_group': 'success_group_id', 'failed_group': 'failure_group_id'})
    def set_target_group(self, execution_group_id: str, success_group: str | None = None,
                         failed_group: str | None = None) -> ExecutionGroup: ...

    @sends('PATCH /execution-groups/{execution_group_id}')
    def set_concurrency(self, execution_group_id: str, concurrency: int) -> ExecutionGroup: ...

    @sends('POST /execution-groups/{execution_group_id}')
    def _act(self, execution_group_id: str, action: str) -> ExecutionGroup: ...


def _text(flag: Any) -> str:
    return str(flag).lower()
