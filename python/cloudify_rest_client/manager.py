from __future__ import annotations

from typing import Any, Dict, Sequence

from cloudify_rest_client.responses import Item, ListResponse, optional
from cloudify_rest_client.sends import ResourceClient, sends


class ConfigItem(Item):
    name = value = schema = scope = updater_name = updated_at = is_editable = admin_only = optional()


class ManagerItem(Item):
    id = hostname = private_ip = public_ip = version = edition = distribution = distro_release = optional()
    fs_sync_node_id = networks = ca_cert_content = optional()


class DBNodeItem(Item):
    name = host = is_external = optional()


class RabbitMQBrokerItem(Item):
    name = host = username = password = management_host = port = params = ca_cert_content = networks = optional()
    is_external = optional()


class ManagerClient(ResourceClient):
    @sends('GET /status')
    def get_status(self) -> Dict[str, Any]: ...

    def get_config(self, name: str | None = None, scope: str | None = None) -> Any:
        """The setting of this name, or all of them."""
        if name is None:
            return self._list_config(scope)
        return self._get_config(name if scope is None else '{0}.{1}'.format(scope, name))

    @sends('PUT /config/{name}')
    def put_config(self, name: str, value: Any, force: bool = False) -> ConfigItem: ...

    @sends('GET /version', versioned=False)
    def get_version(self) -> Dict[str, Any]: ...

    @sends('GET /managers')
    def get_managers(self, hostname: str | None = None,
                     _include: Sequence[str] | None = None) -> ListResponse[ManagerItem]: ...

    @sends('POST /managers', if_set='fs_sync_node_id')
    def add_manager(self, hostname: str, private_ip: str, public_ip: str, version: str, edition: str,
                    distribution: str, distro_release: str, ca_cert_content: str | None = None,
                    fs_sync_node_id: str = '', networks: Dict[str, Any] | None = None) -> ManagerItem: ...

    @sends('DELETE /managers/{hostname}')
    def remove_manager(self, hostname: str) -> None: ...

    @sends('PUT /managers/{hostname}')
    def update_manager(self, hostname: str, fs_sync_node_id: str, bootstrap_cluster: bool) -> ManagerItem: ...

    @sends('GET /brokers')
    def get_brokers(self) -> ListResponse[RabbitMQBrokerItem]: ...

    @sends('POST /brokers')
    def add_broker(self, name: str, address: str, port: int | None = None,
                   networks: Dict[str, Any] | None = None) -> RabbitMQBrokerItem: ...

    @sends('PUT /brokers/{name}')
    def update_broker(self, name: str, networks: Dict[str, Any]) -> RabbitMQBrokerItem: ...

    @sends('DELETE /brokers/{name}')
    def remove_broker(self, name: str) -> None: ...

    @sends('GET /db-nodes')
    def get_db_nodes(self) -> ListResponse[DBNodeItem]: ...

    @sends('POST /db-nodes', fixed={'action': 'update'})
    def update_db_nodes(self) -> ListResponse[DBNodeItem]: ...

    @sends('GET /provider/context')
    def get_context(self, _include: Sequence[str] | None = None) -> Dict[str, Any]: ...

    @sends('POST /provider/context', status=201)
    def create_context(self, name: str, context: Dict[str, Any]) -> Dict[str, Any]: ...

    def update_context(self, name: str, context: Dict[str, Any]) -> Dict[str, Any]:
        return self._update_context(name, context, True)

    @sends('GET /config')
    def _list_config(self, scope: str | None) -> ListResponse[ConfigItem]: ...

    @sends('GET /config/{name}')
    def _get_config(self, name: str) -> ConfigItem: ...

    @sends('POST /provider/context', query='update', status=(200, 201))
    def _update_context(self, name: str, context: Dict[str, Any], update: bool) -> Dict[str, Any]: ...
