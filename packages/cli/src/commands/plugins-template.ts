/** The files of a new plugin, by their paths; every one is for its author to change. */
export function newPlugin(name: string): Readonly<Record<string, string>> {
  const module = name.replaceAll('-', '_')
  const type = `${module}.nodes.Greeting`
  return {
    'setup.py': `from setuptools import setup

setup(
    name='${name}',
    version='0.1.0',
    packages=['${module}'],
    install_requires=['cloudify-common>=7.0.2'])
`,
    'plugin.yaml': `plugins:
  ${module}:
    executor: central_deployment_agent
    package_name: ${name}
    package_version: '0.1.0'

node_types:
  ${type}:
    derived_from: cloudify.nodes.Root
    properties:
      text:
        default: hello
    interfaces:
      cloudify.interfaces.lifecycle:
        create:
          implementation: ${module}.${module}.tasks.create
        delete:
          implementation: ${module}.${module}.tasks.delete

workflows:
  greet_all:
    mapping: ${module}.${module}.workflows.greet_all
    is_cascading: false
`,
    [`${module}/__init__.py`]: '',
    [`${module}/tasks.py`]: `from cloudify.decorators import operation


@operation(resumable=True)
def create(ctx, **_):
    """Runs again when its worker was lost: it must come to the same then."""
    ctx.logger.info('Greeting from %s', ctx.instance.id)
    ctx.instance.runtime_properties['greeting'] = ctx.node.properties['text'].upper()


@operation(resumable=True)
def delete(ctx, **_):
    ctx.instance.runtime_properties.pop('greeting', None)
`,
    [`${module}/workflows.py`]: `from cloudify.decorators import workflow

OPERATION = 'cloudify.interfaces.lifecycle.create'


@workflow(resumable=True)
def greet_all(ctx, **_):
    """Greets again, from every instance that can."""
    graph = ctx.graph_mode()
    for instance in greeting(ctx.node_instances):
        graph.add_task(instance.execute_operation(OPERATION))
    return graph.execute()


def greeting(instances):
    return [one for one in instances if OPERATION in one.node.operations]
`,
    'tests/__init__.py': '',
    'tests/test_plugin.py': `import types
import unittest

from cloudify.mocks import MockCloudifyContext
from cloudify.state import current_ctx

from ${module} import tasks, workflows


class TestOperations(unittest.TestCase):
    def setUp(self):
        self.ctx = MockCloudifyContext(node_id='one_1', node_name='one', properties={'text': 'hello'}, runtime_properties={})
        current_ctx.set(self.ctx)
        self.addCleanup(current_ctx.clear)

    def test_create_and_delete(self):
        tasks.create(ctx=self.ctx)
        self.assertEqual(self.ctx.instance.runtime_properties, {'greeting': 'HELLO'})
        tasks.delete(ctx=self.ctx)
        self.assertEqual(self.ctx.instance.runtime_properties, {})


class TestWorkflow(unittest.TestCase):
    def test_only_instances_that_can_greet(self):
        def instance(*operations):
            return types.SimpleNamespace(node=types.SimpleNamespace(operations=operations))
        able = instance(workflows.OPERATION)
        self.assertEqual(workflows.greeting([able, instance()]), [able])


if __name__ == '__main__':
    unittest.main()
`,
    'README.md': `# ${name}

Test it, with the folder \`python\` of Tutti installed (\`pip install\`) or in \`PYTHONPATH\`:

    python3 -m unittest

Pack, upload and use it:

    tutti plugins pack .
    tutti plugins upload ${module}-0.1.0-py3-none-any.wgn -y plugin.yaml

A blueprint that has \`plugin:${name}\` among its imports has the type \`${type}\` and the workflow \`greet_all\`.
`,
  }
}
