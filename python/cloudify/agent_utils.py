"""The records of agents (docs/reference/agents.md)."""
import os
from typing import Any, Dict, Optional

from cloudify.exceptions import NonRecoverableError


def create_agent_record(cloudify_agent: Dict[str, Any], state: str = 'creating', create_rabbitmq_user: bool = True,
                        client: Optional[Any] = None) -> Any:
    return _client(client).agents.create(
        cloudify_agent['name'], _node_instance_id(cloudify_agent), state, create_rabbitmq_user)


def update_agent_record(cloudify_agent: Dict[str, Any], state: str, client: Optional[Any] = None) -> Any:
    return _client(client).agents.update(cloudify_agent['name'], state)


def get_agent_rabbitmq_user(cloudify_agent: Dict[str, Any], client: Optional[Any] = None) -> Any:
    return _client(client).agents.get(cloudify_agent['name'])


def delete_agent_rabbitmq_user(cloudify_agent: Dict[str, Any], client: Optional[Any] = None) -> None:
    """Nothing: there is no message broker that could have a user."""


def delete_agent_queues_and_exchanges(cloudify_agent: Dict[str, Any]) -> None:
    """Nothing: there is no message broker."""


def get_agent_registered(name: str, *_: Any, **__: Any) -> Any:
    raise NonRecoverableError('Agents are not built yet in this manager: {0} is a record only'.format(name))


def _node_instance_id(cloudify_agent: Dict[str, Any]) -> Any:
    from cloudify.state import ctx
    return cloudify_agent.get('node_instance_id') or os.environ.get('AGENT_NODE_INSTANCE') or ctx.instance.id


def _client(client: Optional[Any]) -> Any:
    if client is not None:
        return client
    from cloudify.manager import get_rest_client
    return get_rest_client()
