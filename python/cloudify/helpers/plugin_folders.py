"""Where plugins are installed on a worker."""
import os
import sys
from typing import Any, Dict, List, Optional


def plugin_prefix(name: str, tenant_name: Optional[str] = None, version: Optional[str] = None,
                  deployment_id: Optional[str] = None) -> Optional[str]:
    """The folder that a plugin is installed in, None if it is not."""
    path = target_plugin_prefix(name, tenant_name, version, deployment_id)
    return path if os.path.isdir(path) else None


def target_plugin_prefix(name: str, tenant_name: Optional[str] = None, version: Optional[str] = None,
                         deployment_id: Optional[str] = None) -> str:
    """The folder that it would be installed in. With a deployment: a plugin whose source came with the blueprint."""
    root = os.environ.get('CFY_PLUGINS_ROOT') or os.path.join(sys.prefix, 'plugins')
    if deployment_id:
        parts = ['source_plugins', tenant_name or '', deployment_id, name, version or '0.0.0']
    else:
        parts = ['plugins', tenant_name or '', name, version or '']
    return os.path.join(root, *[part for part in parts if part])


def get_python_path(venv: str) -> str:
    return get_executable_path('python', venv)


def get_executable_path(executable: str, venv: str) -> str:
    """`pip` → /the/environment/bin/pip"""
    if os.name == 'nt':
        return os.path.join(venv, 'Scripts', executable + '.exe')
    return os.path.join(venv, 'bin', executable)


def extract_and_merge_plugins(node_plugins: List[Dict[str, Any]], plugins: List[Dict[str, Any]],
                              filter_func: Any = lambda _: True, with_repetition: bool = False
                              ) -> List[Dict[str, Any]]:
    """Both lists, each plugin once by its name unless `with_repetition`."""
    merged = list(plugins)
    names = {one['name'] for one in merged}
    for plugin in node_plugins:
        if filter_func(plugin) and (with_repetition or plugin['name'] not in names):
            merged.append(plugin)
            names.add(plugin['name'])
    return merged


def add_plugins_to_install(ctx: Any, plugins: List[Dict[str, Any]], sequence: Any) -> None:
    from cloudify.exceptions import NonRecoverableError
    raise NonRecoverableError('Workflows do not install plugins in this manager: install the package for the Python '
                              'that the worker runs operations with')
