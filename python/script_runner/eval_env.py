"""Where a Python script is evaluated: the globals that it begins with."""
from typing import Any, Dict


def setup_env_and_exec(script_path: str, env: Dict[str, Any]) -> None:
    """Runs the file with these globals."""
    with open(script_path, 'rb') as source:
        code = compile(source.read(), script_path, 'exec')
    exec(code, env)


eval_env = setup_env_and_exec
