"""Runs an operation the way the worker does: the launcher in a child process, input.json in, output.json out."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from tests.fake_manager import FakeManager

RUNTIME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def context(**fields):
    return dict({
        'type': 'operation', 'task_id': 't', 'task_name': 'script_runner.tasks.run', 'execution_id': 'e',
        'workflow_id': 'install', 'deployment_id': 'd', 'blueprint_id': 'b', 'tenant': {'name': 'default_tenant'},
        'node_id': 'web_1', 'node_name': 'web', 'execution_token': 'secret', 'plugin': {'name': 'script'},
        'operation': {'name': 'cloudify.interfaces.lifecycle.create', 'retry_number': 0, 'max_retries': 3}}, **fields)


class OperationCase(unittest.TestCase):
    def setUp(self):
        self.manager = FakeManager()
        self.addCleanup(self.manager.close)
        self.manager.add('web_1', 'web', {'port': 8080, 'nested': {'list': [1, {'a': 'b'}]}})
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def run_operation(self, kwargs=None, environment=None, **fields):
        """output.json"""
        done = self.start(kwargs, environment, **fields)
        self.assertEqual(done.returncode, 0, done.stdout)
        with open(os.path.join(self.folder, 'output.json')) as source:
            return json.load(source)

    def start(self, kwargs=None, environment=None, **fields):
        with open(os.path.join(self.folder, 'input.json'), 'w') as target:
            json.dump({'cloudify_context': context(**fields), 'args': [], 'kwargs': kwargs or {}}, target)
        variables = dict(os.environ, **self.manager.environment())
        variables.update({'PATH': os.path.join(RUNTIME, 'bin') + os.pathsep + os.environ['PATH'],
                          'PYTHONDONTWRITEBYTECODE': '1'}, **(environment or {}))
        return subprocess.run(
            [sys.executable, '-u', os.path.join(RUNTIME, 'run_operation.py'), self.folder], env=variables,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)

    def bash(self, text, **inputs):
        """The result of an inline bash script."""
        output = self.run_operation(dict(inputs, script_source='#!/bin/bash -e\n' + text))
        self.assertEqual(output['type'], 'result', output)
        return output['payload']

    def python(self, text, related=None, **inputs):
        """The result of an inline Python script."""
        output = self.run_operation(dict(inputs, script_source=text, process={'eval_python': True}), related=related)
        self.assertEqual(output['type'], 'result', output)
        return output['payload']

    def error(self, kwargs, **fields):
        output = self.run_operation(kwargs, **fields)
        self.assertEqual(output['type'], 'error', output)
        return output['payload']

    def runtime_properties(self, instance='web_1'):
        return self.manager.instances[instance]['runtime_properties']
