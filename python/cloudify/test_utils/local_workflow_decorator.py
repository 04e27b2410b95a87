"""`@workflow_test`: a local environment of a blueprint for a test method."""
import os
import shutil
import tempfile
from functools import wraps
from typing import Any, Callable, Dict, List, Optional


class WorkflowTestDecorator:
    """Gives the test method an environment as its second argument."""

    def __init__(self, blueprint_path: str, copy_plugin_yaml: bool = False,
                 resources_to_copy: Optional[List[Any]] = None, temp_dir_prefix: Optional[str] = None,
                 init_args: Optional[Dict[str, Any]] = None, inputs: Any = None,
                 input_func_args: Optional[List[Any]] = None,
                 input_func_kwargs: Optional[Dict[str, Any]] = None) -> None:
        self.blueprint_path = blueprint_path
        self.copy_plugin_yaml = copy_plugin_yaml
        self.resources_to_copy = resources_to_copy or []
        self.temp_dir_prefix = temp_dir_prefix
        self.init_args = dict(init_args or {})
        self.inputs = inputs
        self.input_func_args = input_func_args or []
        self.input_func_kwargs = input_func_kwargs or {}

    def __call__(self, test: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(test)
        def wrapper(case, *args, **kwargs):
            from cloudify.workflows import local
            folder = tempfile.mkdtemp(prefix=self.temp_dir_prefix or 'workflow-test-')
            try:
                blueprint = self._copy_to(folder)
                arguments = dict(self.init_args)
                arguments.setdefault('name', test.__name__)
                if self.inputs is not None:
                    arguments['inputs'] = self._inputs(case)
                environment = local.init_env(blueprint, **arguments)
                return test(case, environment, *args, **kwargs)
            finally:
                shutil.rmtree(folder, ignore_errors=True)
        return wrapper

    def _inputs(self, case):
        given = getattr(case, self.inputs) if isinstance(self.inputs, str) else self.inputs
        return given(*self.input_func_args, **self.input_func_kwargs) if callable(given) else given

    def _copy_to(self, folder):
        copied = shutil.copy(self.blueprint_path, folder)
        for resource in self.resources_to_copy:
            source, target = resource if isinstance(resource, (tuple, list)) else (resource, '')
            place = os.path.join(folder, target)
            os.makedirs(place, exist_ok=True)
            shutil.copy(source, place)
        if self.copy_plugin_yaml:
            beside = os.path.dirname(os.path.abspath(self.blueprint_path))
            while not os.path.exists(os.path.join(beside, 'plugin.yaml')):
                parent = os.path.dirname(beside)
                if parent == beside:
                    raise ValueError('There is no plugin.yaml beside or above {0}'.format(self.blueprint_path))
                beside = parent
            shutil.copy(os.path.join(beside, 'plugin.yaml'), folder)
        return copied
