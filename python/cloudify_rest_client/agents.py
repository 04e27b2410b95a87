from __future__ import annotations

from typing import Any, Dict, Sequence

from cloudify_rest_client.responses import Item, ListResponse, optional
from cloudify_rest_client.sends import ResourceClient, sends


class Agent(Item):
    id = host_id = ip = install_method = system = version = node = deployment = name = node_instance_id = optional()
    rabbitmq_exchange = rabbitmq_username = rabbitmq_password = state = created_at = updated_at = optional()


class AgentsClient(ResourceClient):
    @sends('GET /agents')
    def list(self, _include: Sequence[str] | None = None, sort: str | None = None, is_descending: bool = False,
             **kwargs: Any) -> ListResponse[Agent]: ...

    @sends('GET /agents/{name}')
    def get(self, name: str) -> Agent: ...

    @sends('PUT /agents/{name}')
    def create(self, name: str, node_instance_id: str, state: str = 'creating', create_rabbitmq_user: bool = True,
               **kwargs: Any) -> Agent: ...

    @sends('PATCH /agents/{name}')
    def update(self, name: str, state: str | None = None, **kwargs: Any) -> Agent: ...

    @sends('PATCH /agents', wire={'new_manager_ca_cert': 'manager_ca_cert', 'new_broker_ca_cert': 'broker_ca_cert'})
    def replace_ca_certs(self, bundle: Any, new_manager_ca_cert: str | None,
                         new_broker_ca_cert: str | None) -> Dict[str, Any]: ...
