"""Small functions that plugins import from here (docs/reference/python.md, "Helpers"). The larger ones lie in modules of
their own and are loaded when they are asked for."""
import os
import random
import string
import tempfile
import uuid
from contextlib import contextmanager
from typing import Any, Callable, Dict, Iterator, List, Optional

from cloudify import constants, rest
from cloudify.exceptions import NonRecoverableError
from cloudify.resources import exec_folder

ENV_CFY_EXEC_TEMPDIR = 'CFY_EXEC_TEMP'
CFY_EXEC_TEMPDIR_ENVVAR = ENV_CFY_EXEC_TEMPDIR
ENV_AGENT_LOG_LEVEL = 'AGENT_LOG_LEVEL'
ENV_AGENT_LOG_DIR = 'AGENT_LOG_DIR'
ENV_AGENT_LOG_MAX_BYTES = 'AGENT_LOG_MAX_BYTES'
ENV_AGENT_LOG_MAX_HISTORY = 'AGENT_LOG_MAX_HISTORY'
ADMIN_API_TOKEN_PATH = '/opt/mgmtworker/work/admin_token'

_ELSEWHERE = {
    'archives': ('extract_archive', 'unzip', 'untar'),
    'commands': ('CommandExecutionResponse', 'LocalCommandRunner', 'OutputConsumer'),
    'loggers': ('setup_logger', 'setup_default_logger'),
    'patience': ('keep_trying_http', 'wait_for'),
    'plugin_folders': ('add_plugins_to_install', 'extract_and_merge_plugins', 'get_executable_path',
                       'get_python_path', 'plugin_prefix', 'target_plugin_prefix'),
    'times': ('parse_schedule_datetime_string', 'parse_utc_datetime', 'parse_utc_datetime_relative'),
    'versions': ('ManagerVersion',),
}


def __getattr__(name: str) -> Any:
    for module, names in _ELSEWHERE.items():
        if name in names:
            import importlib
            found = getattr(importlib.import_module('cloudify.helpers.' + module), name)
            globals()[name] = found  # the same object from now on, which tests may replace
            return found
    raise AttributeError('module {0!r} has no attribute {1!r}'.format(__name__, name))


def __dir__() -> List[str]:
    return sorted(list(globals()) + [name for names in _ELSEWHERE.values() for name in names])


# ---- the operation or workflow that runs


def _get_current_context() -> Any:
    """The operation's ctx, else the workflow's. Raises RuntimeError where nothing runs."""
    from cloudify.state import NotInContext, current_ctx, current_workflow_ctx
    for current in (current_ctx, current_workflow_ctx):
        try:
            return current.get_ctx()
        except NotInContext:
            continue
    raise NotInContext('Neither an operation nor a workflow runs in this thread')


def _context_field(name: str) -> Callable[[], Any]:
    def get():
        return getattr(_get_current_context(), name)
    get.__name__ = 'get_' + name
    get.__doc__ = '`ctx.{0}`'.format(name)
    return get


get_tenant_name: Callable[[], str] = _context_field('tenant_name')
get_rest_token: Callable[[], Optional[str]] = _context_field('rest_token')
get_execution_token: Callable[[], Optional[str]] = _context_field('execution_token')
get_execution_id: Callable[[], Optional[str]] = _context_field('execution_id')
get_execution_creator_username: Callable[[], Optional[str]] = _context_field('execution_creator_username')


def get_tenant() -> Any:
    """What the manager says of the tenant."""
    from cloudify.manager import get_rest_client
    return get_rest_client().tenants.get(get_tenant_name())


def get_is_bypass_maintenance() -> bool:
    given = os.environ.get(constants.BYPASS_MAINTENANCE)
    return given.lower() == 'true' if given else bool(_get_current_context().bypass_maintenance)


def get_workflow_parameters() -> Dict[str, Any]:
    """The parameters that the execution was started with; without the ctx that a workflow function gets."""
    parameters = dict(_get_current_context().workflow_parameters or {})
    parameters.pop('ctx', None)
    return parameters


def get_instances_of_node(rest_client: Any, deployment_id: Optional[str] = None, node_id: Optional[str] = None,
                          _ctx: Any = None) -> List[Any]:
    """By index: those of the node that is given, else of the operation's own."""
    if deployment_id is None or node_id is None:
        current = _ctx or _get_current_context()
        side = current if current.type == constants.NODE_INSTANCE else current.source
        deployment_id = deployment_id or current.deployment.id
        node_id = node_id or side.node.id
    found = rest_client.node_instances.list(deployment_id=deployment_id, node_id=node_id)
    return sorted(found, key=lambda one: one['index'])


# ---- the manager's address


def _context_or_nothing() -> Dict[str, Any]:
    try:
        current = _get_current_context()
    except RuntimeError:
        return {}
    return {'rest_host': current.rest_host, 'rest_port': current.rest_port}


def get_manager_rest_service_host() -> List[str]:
    return rest.hosts(_context_or_nothing())


get_manager_ip = get_manager_rest_service_host


def get_manager_rest_service_port() -> int:
    return rest.port(_context_or_nothing())


def get_manager_rest_service_protocol() -> str:
    return rest.protocol()


def get_manager_file_server_scheme() -> str:
    return os.environ.get(constants.MANAGER_FILE_SERVER_SCHEME) or 'https'


def get_manager_file_server_url() -> List[str]:
    port, scheme = get_manager_rest_service_port(), get_manager_file_server_scheme()
    return ['{0}://{1}:{2}/resources'.format(scheme, rest.in_url(host), port)
            for host in get_manager_rest_service_host()]


def get_manager_file_server_root() -> str:
    return os.environ[constants.MANAGER_FILE_SERVER_ROOT_KEY]


def get_local_resources_root() -> Optional[str]:
    return os.environ.get(constants.LOCAL_RESOURCES_ROOT_ENV_KEY)


def get_local_rest_certificate() -> Optional[str]:
    return os.environ.get(constants.LOCAL_REST_CERT_FILE_KEY)


def get_broker_ssl_cert_path() -> Optional[str]:
    return os.environ.get(constants.BROKER_SSL_CERT_PATH)


def get_daemon_name() -> str:
    return os.environ[constants.AGENT_NAME_KEY]


def get_manager_name() -> str:
    return os.environ[constants.MANAGER_NAME_KEY]


def get_kerberos_indication(kerberos_env: Optional[str]) -> Optional[bool]:
    return None if kerberos_env is None else str(kerberos_env).lower() == 'true'


def is_management_environment() -> bool:
    """Whether this is a worker of the manager's, and no agent."""
    return bool(os.environ.get('MGMTWORKER_HOME'))


def get_admin_api_token() -> str:
    """Only where whoever runs the worker has put it: operations here run with their execution's own rights."""
    token = os.environ.get(constants.ADMIN_API_TOKEN_KEY)
    if not token:
        raise NonRecoverableError('There is no administrator\'s token on workers of this manager: use '
                                  'cloudify.manager.get_rest_client(), which has the rights of the execution')
    return token


# ---- files and texts


def get_exec_tempdir() -> str:
    """Where temporary files go that somebody may run."""
    return exec_folder() or tempfile.gettempdir()


def create_temp_folder() -> str:
    return tempfile.mkdtemp(dir=get_exec_tempdir())


def id_generator(size: int = 6, chars: str = string.ascii_uppercase + string.digits) -> str:
    return ''.join(random.SystemRandom().choice(chars) for _ in range(size))


def generate_user_password(password_length: int = 32) -> str:
    """Letters, digits and signs, each at least once."""
    kinds = (string.ascii_uppercase, string.ascii_lowercase, string.digits, '!@#$%^&*()_-')
    chosen = [id_generator(1, kind) for kind in kinds]
    chosen += id_generator(max(password_length - len(kinds), 0), ''.join(kinds))
    random.SystemRandom().shuffle(chosen)
    return ''.join(chosen[:password_length])


def uuid4() -> str:
    return str(uuid.uuid4())


def format_exception(e: BaseException) -> str:
    return '{0}: {1}'.format(type(e).__name__, e)


def exception_to_error_cause(exception: BaseException, tb: Any = None) -> Dict[str, str]:
    """An entry for `causes=` of an exception: {message, type, traceback}."""
    import traceback
    text = ''.join(traceback.format_exception(type(exception), exception, tb or exception.__traceback__))
    return {'message': str(exception), 'type': type(exception).__name__, 'traceback': text}


ipv6_url_compat = rest.in_url


@contextmanager
def nullcontext(enter_result: Any = None) -> Iterator[Any]:
    yield enter_result


def get_func(task_name: str) -> Callable[..., Any]:
    """`package.module.function`. Raises NonRecoverableError for what is not there, and for what cannot be called."""
    import importlib
    module_name, _, name = task_name.rpartition('.')
    try:
        module = importlib.import_module(module_name)
    except (ImportError, ValueError) as error:
        raise NonRecoverableError('Could not import {0}: {1}'.format(module_name or task_name, error)) from error
    found = getattr(module, name, None)
    if found is None:
        raise NonRecoverableError('{0} has no function named {1}'.format(module_name, name))
    if not callable(found):
        raise NonRecoverableError('{0} is not callable'.format(task_name))
    return found


# ---- agents


class Internal:
    """Not for plugins in general, but some use it."""

    @staticmethod
    def get_install_method(properties: Dict[str, Any]) -> Optional[str]:
        """`install_agent` of old blueprints, else agent_config.install_method."""
        install_agent = properties.get('install_agent')
        if install_agent is False:
            return constants.AGENT_INSTALL_METHOD_NONE
        if install_agent is True:
            return constants.AGENT_INSTALL_METHOD_REMOTE
        return (properties.get('agent_config') or {}).get('install_method')

    @staticmethod
    def get_broker_ssl_options(ssl_enabled: bool, cert_path: Optional[str]) -> Dict[str, Any]:
        if not ssl_enabled:
            return {}
        import ssl
        return {'ca_certs': cert_path, 'cert_reqs': ssl.CERT_REQUIRED}

    @staticmethod
    def get_broker_credentials(cloudify_agent: Any) -> Any:
        """(user, password, virtual host) as they are in an agent's configuration."""
        agent = cloudify_agent if isinstance(cloudify_agent, dict) else vars(cloudify_agent)
        tenant = agent.get('tenant') or {}
        return (tenant.get('rabbitmq_username') or agent.get('broker_user'),
                tenant.get('rabbitmq_password') or agent.get('broker_pass'),
                tenant.get('rabbitmq_vhost') or agent.get('broker_vhost') or '/')

    @staticmethod
    @contextmanager
    def _change_tenant(ctx: Any, tenant: str) -> Iterator[None]:
        """Requests inside go to that tenant."""
        if 'original_name' in (ctx._context.get('tenant') or {}):
            raise RuntimeError('Overriding the tenant inside of itself is not supported')
        before, tenant_before = ctx._context.get('tenant'), ctx._tenant
        manager_before = ctx._manager
        ctx._context['tenant'] = {'name': tenant, 'original_name': (before or {}).get('name')}
        ctx._tenant = None
        ctx._manager = rest.Manager(ctx._context)
        try:
            yield
        finally:
            ctx._context['tenant'], ctx._tenant, ctx._manager = before, tenant_before, manager_before


internal = Internal()
