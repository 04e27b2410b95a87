"""The environment of a script's process."""
import json
import os
import sys
import tempfile
from typing import Any, Dict

CTX_COMMAND_FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'bin')


def create_process_config(process: Dict[str, Any], operation_kwargs: Dict[str, Any]) -> Dict[str, Any]:
    """A copy of `process` whose `env` holds the operation's inputs and over them its own, all as texts."""
    variables = dict(operation_kwargs)
    variables.pop('ctx', None)
    variables.update(process.get('env') or {})
    return dict(process, env={str(name): as_variable(value) for name, value in variables.items()})


def as_variable(value: Any) -> str:
    """Structures and booleans as JSON, everything else in its plain text form."""
    if isinstance(value, (dict, list, tuple, set, bool)):
        text = json.dumps(sorted(value, key=str) if isinstance(value, set) else value)
        # The shell of Windows takes quotation marks away that nothing stands before.
        return text.replace('"', '\\"') if os.name == 'nt' else text
    return str(value)


def get_process_environment(process: Dict[str, Any], proxy: Any) -> Dict[str, str]:
    """This process's variables, over them process.env; the proxy's address; `ctx` and Python in PATH."""
    result = dict(os.environ)
    result.setdefault('TMPDIR', tempfile.gettempdir())
    result.update({str(name): as_variable(value) for name, value in (process.get('env') or {}).items()})
    if proxy is not None and proxy.socket_url:
        result['CTX_SOCKET_URL'] = proxy.socket_url
    folders = result.get('PATH', os.defpath).split(os.pathsep)
    for needed in (os.path.dirname(sys.executable), CTX_COMMAND_FOLDER):
        if needed not in folders:
            folders.append(needed)
    result['PATH'] = os.pathsep.join(folders)
    return result
