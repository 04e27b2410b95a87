"""The client: `client.deployments.get('d')`, `client.secrets.create('key', 'value')`.

Each resource has a module with its methods and the classes of what they return; it is loaded when it is first used.
`sends.py` says how a method becomes a request.
"""
from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, Mapping, Optional, Type, TypeVar, overload

from cloudify_rest_client.http_client import (  # noqa: F401
    DEFAULT_API_VERSION, DEFAULT_PORT, DEFAULT_PROTOCOL, SECURED_PORT, SECURED_PROTOCOL, HTTPClient, StreamedResponse)

if TYPE_CHECKING:
    from cloudify_rest_client.connection import Connection
    from cloudify_rest_client.agents import AgentsClient
    from cloudify_rest_client.audit_log import AuditLogClient
    from cloudify_rest_client.blueprints import BlueprintsClient
    from cloudify_rest_client.cluster_status import ClusterStatusClient
    from cloudify_rest_client.community_contacts import CommunityContactsClient
    from cloudify_rest_client.deployment_modifications import DeploymentModificationsClient
    from cloudify_rest_client.deployment_updates import DeploymentUpdatesClient
    from cloudify_rest_client.deployments import DeploymentGroupsClient, DeploymentsClient
    from cloudify_rest_client.evaluate import EvaluateClient
    from cloudify_rest_client.events import EventsClient
    from cloudify_rest_client.execution_schedules import ExecutionSchedulesClient
    from cloudify_rest_client.executions import ExecutionGroupsClient, ExecutionsClient
    from cloudify_rest_client.filters import BlueprintsFiltersClient, DeploymentsFiltersClient
    from cloudify_rest_client.idp import IdentityProviderClient
    from cloudify_rest_client.inter_deployment_dependencies import InterDeploymentDependencyClient
    from cloudify_rest_client.labels import BlueprintsLabelsClient, DeploymentsLabelsClient
    from cloudify_rest_client.ldap import LdapClient
    from cloudify_rest_client.license import LicenseClient
    from cloudify_rest_client.log_bundles import LogBundlesClient
    from cloudify_rest_client.maintenance import MaintenanceModeClient
    from cloudify_rest_client.manager import ManagerClient
    from cloudify_rest_client.node_instances import NodeInstancesClient
    from cloudify_rest_client.nodes import NodesClient
    from cloudify_rest_client.operations import OperationsClient, TasksGraphClient
    from cloudify_rest_client.permissions import PermissionsClient
    from cloudify_rest_client.plugins import PluginsClient
    from cloudify_rest_client.plugins_update import PluginsUpdateClient
    from cloudify_rest_client.resources import ResourcesClient
    from cloudify_rest_client.secrets import SecretsClient
    from cloudify_rest_client.secrets_providers import SecretsProvidersClient
    from cloudify_rest_client.sites import SitesClient
    from cloudify_rest_client.snapshots import SnapshotsClient
    from cloudify_rest_client.summary import SummariesClient
    from cloudify_rest_client.tenants import TenantsClient
    from cloudify_rest_client.tokens import TokensClient
    from cloudify_rest_client.user_groups import UserGroupsClient
    from cloudify_rest_client.users import UsersClient
    from cloudify_rest_client.workflows import WorkflowsClient

T = TypeVar('T')


class Resource(Generic[T]):
    """An attribute of the client: the class that its annotation names, of the module that is given."""

    def __init__(self, module: str) -> None:
        self._module = 'cloudify_rest_client.' + module

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name
        self._class = owner.__annotations__[name][len('Resource['):-1]

    @overload
    def __get__(self, client: None, owner: type) -> Resource[T]: ...

    @overload
    def __get__(self, client: CloudifyClient, owner: type) -> T: ...

    def __get__(self, client: Optional[CloudifyClient], owner: type) -> Any:
        if client is None:
            return self
        made = getattr(import_module(self._module), self._class)(client._client)
        # From now on it is an attribute of the object, as any other: of two threads that come at once, one is first.
        return vars(client).setdefault(self._name, made)


class CloudifyClient:
    client_class: Type[HTTPClient] = HTTPClient

    blueprints: Resource[BlueprintsClient] = Resource('blueprints')
    permissions: Resource[PermissionsClient] = Resource('permissions')
    snapshots: Resource[SnapshotsClient] = Resource('snapshots')
    log_bundles: Resource[LogBundlesClient] = Resource('log_bundles')
    deployments: Resource[DeploymentsClient] = Resource('deployments')
    deployment_groups: Resource[DeploymentGroupsClient] = Resource('deployments')
    executions: Resource[ExecutionsClient] = Resource('executions')
    execution_groups: Resource[ExecutionGroupsClient] = Resource('executions')
    execution_schedules: Resource[ExecutionSchedulesClient] = Resource('execution_schedules')
    nodes: Resource[NodesClient] = Resource('nodes')
    node_instances: Resource[NodeInstancesClient] = Resource('node_instances')
    manager: Resource[ManagerClient] = Resource('manager')
    events: Resource[EventsClient] = Resource('events')
    evaluate: Resource[EvaluateClient] = Resource('evaluate')
    deployment_modifications: Resource[DeploymentModificationsClient] = Resource('deployment_modifications')
    tokens: Resource[TokensClient] = Resource('tokens')
    plugins: Resource[PluginsClient] = Resource('plugins')
    plugins_update: Resource[PluginsUpdateClient] = Resource('plugins_update')
    maintenance_mode: Resource[MaintenanceModeClient] = Resource('maintenance')
    deployment_updates: Resource[DeploymentUpdatesClient] = Resource('deployment_updates')
    tenants: Resource[TenantsClient] = Resource('tenants')
    user_groups: Resource[UserGroupsClient] = Resource('user_groups')
    users: Resource[UsersClient] = Resource('users')
    ldap: Resource[LdapClient] = Resource('ldap')
    idp: Resource[IdentityProviderClient] = Resource('idp')
    secrets: Resource[SecretsClient] = Resource('secrets')
    secrets_providers: Resource[SecretsProvidersClient] = Resource('secrets_providers')
    agents: Resource[AgentsClient] = Resource('agents')
    summary: Resource[SummariesClient] = Resource('summary')
    operations: Resource[OperationsClient] = Resource('operations')
    tasks_graphs: Resource[TasksGraphClient] = Resource('operations')
    license: Resource[LicenseClient] = Resource('license')
    sites: Resource[SitesClient] = Resource('sites')
    cluster_status: Resource[ClusterStatusClient] = Resource('cluster_status')
    inter_deployment_dependencies: Resource[InterDeploymentDependencyClient] = Resource('inter_deployment_dependencies')
    deployments_filters: Resource[DeploymentsFiltersClient] = Resource('filters')
    blueprints_filters: Resource[BlueprintsFiltersClient] = Resource('filters')
    deployments_labels: Resource[DeploymentsLabelsClient] = Resource('labels')
    blueprints_labels: Resource[BlueprintsLabelsClient] = Resource('labels')
    workflows: Resource[WorkflowsClient] = Resource('workflows')
    resources: Resource[ResourcesClient] = Resource('resources')
    community_contacts: Resource[CommunityContactsClient] = Resource('community_contacts')
    auditlog: Resource[AuditLogClient] = Resource('audit_log')

    def __init__(self, host: Any = 'localhost', port: Optional[int] = None, protocol: str = DEFAULT_PROTOCOL,
                 api_version: str = DEFAULT_API_VERSION, headers: Optional[Mapping[str, str]] = None,
                 query_params: Optional[Mapping[str, Any]] = None, cert: Optional[str] = None, trust_all: bool = False,
                 username: Optional[str] = None, password: Optional[str] = None, token: Optional[str] = None,
                 tenant: Optional[str] = None, kerberos_env: Any = None, timeout: Any = None,
                 session: Any = None, connection: Optional[Connection] = None) -> None:
        """`headers` are sent with every request and `query_params` added to it; `cert` is the path of the certificates
        to trust and `trust_all` trusts any; `timeout` is in seconds, or (to connect, to read). `session` is a session
        of `requests`, for what the standard library does not offer: proxies, Kerberos, adapters. `connection` is that of an operation:
        all else is as it says."""
        if connection is not None:
            from cloudify_rest_client.cluster import ClusterHTTPClient
            self._client: HTTPClient = ClusterHTTPClient(**connection.arguments())
            self.host: Any = self._client.host
            return
        self.host = host
        self._client = self.client_class(
            host, port, protocol, api_version, headers, query_params, cert, trust_all, username, password, token,
            tenant, kerberos_env, timeout, session)
