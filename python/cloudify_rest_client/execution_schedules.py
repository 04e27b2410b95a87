from __future__ import annotations

from typing import Any, Dict, Sequence

from cloudify_rest_client.responses import Item, ListResponse, optional
from cloudify_rest_client.sends import ResourceClient, sends


class ExecutionSchedule(Item):
    id = deployment_id = workflow_id = created_at = next_occurrence = since = until = stop_on_fail = optional()
    enabled = optional()
    parameters = optional(default={})


class ExecutionSchedulesClient(ResourceClient):
    @sends('PUT /execution-schedules/{schedule_id}', status=201, query='deployment_id',
           null='execution_arguments parameters since until recurrence count weekdays rrule')
    def create(self, schedule_id: str, deployment_id: str, workflow_id: str,
               execution_arguments: Dict[str, Any] | None = None, parameters: Dict[str, Any] | None = None,
               since: Any = None, until: Any = None, recurrence: str | None = None, count: int | None = None,
               weekdays: Sequence[str] | None = None, rrule: str | None = None, slip: int = 0,
               stop_on_fail: bool = False, created_by: str | None = None, created_at: Any = None,
               enabled: bool = True) -> ExecutionSchedule: ...

    @sends('PATCH /execution-schedules/{schedule_id}', status=201, query='deployment_id',
           null='since until recurrence count weekdays rrule slip stop_on_fail enabled workflow_id')
    def update(self, schedule_id: str, deployment_id: str, since: Any = None, until: Any = None,
               recurrence: str | None = None, count: int | None = None, weekdays: Sequence[str] | None = None,
               rrule: str | None = None, slip: int | None = None, stop_on_fail: bool | None = None,
               enabled: bool | None = None, workflow_id: str | None = None) -> ExecutionSchedule: ...

    @sends('DELETE /execution-schedules/{schedule_id}', status=204)
    def delete(self, schedule_id: str, deployment_id: str) -> None: ...

    @sends('GET /execution-schedules')
    def list(self, _include: Sequence[str] | None = None, sort: str | None = None, is_descending: bool = False,
             **kwargs: Any) -> ListResponse[ExecutionSchedule]: ...

    @sends('GET /execution-schedules/{schedule_id}')
    def get(self, schedule_id: str, deployment_id: str,
            _include: Sequence[str] | None = None) -> ExecutionSchedule: ...
