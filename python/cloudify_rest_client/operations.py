from __future__ import annotations

from typing import Any, Dict, Sequence

from cloudify_rest_client.responses import Item, ListResponse, optional
from cloudify_rest_client.sends import ResourceClient, sends


class Operation(Item):
    id = state = created_at = dependencies = type = name = tasks_graph_id = optional()
    parameters = optional(default={})

    @property
    def containing_subgraph(self) -> Any:
        return self.parameters.get('containing_subgraph')

    @property
    def info(self) -> Any:
        return self.parameters.get('info')


class TasksGraph(Item):
    id = name = optional()
    execution = optional('execution_id')


class OperationsClient(ResourceClient):
    @sends('GET /operations', if_set='skip_internal')
    def list(self, graph_id: str | None = None, _offset: int | None = None, _size: int | None = None,
             execution_id: str | None = None, state: str | None = None, skip_internal: bool = False,
             _include: Sequence[str] | None = None) -> ListResponse[Operation]: ...

    @sends('GET /operations/{operation_id}')
    def get(self, operation_id: str) -> Operation: ...

    @sends('PUT /operations/{operation_id}', status=201)
    def create(self, operation_id: str, graph_id: str, name: str, type: str, parameters: Dict[str, Any],
               dependencies: Sequence[str]) -> Operation: ...

    @sends('PATCH /operations/{operation_id}',
           null='result exception exception_causes manager_name agent_name')
    def update(self, operation_id: str, state: str, result: Any = None, exception: Any = None,
               exception_causes: Any = None, manager_name: str | None = None,
               agent_name: str | None = None) -> None: ...

    @sends('DELETE /operations/{operation_id}')
    def delete(self, operation_id: str) -> None: ...


class TasksGraphClient(ResourceClient):
    @sends('GET /tasks_graphs')
    def list(self, execution_id: str, name: str | None = None,
             _include: Sequence[str] | None = None) -> ListResponse[TasksGraph]: ...

    @sends('POST /tasks_graphs/tasks_graphs', status=201, null='operations')
    def create(self, execution_id: str, name: str, operations: Sequence[Dict[str, Any]] | None = None,
               created_at: Any = None, graph_id: str | None = None) -> TasksGraph: ...

    @sends('PATCH /tasks_graphs/{tasks_graph_id}')
    def update(self, tasks_graph_id: str, state: str) -> TasksGraph: ...
