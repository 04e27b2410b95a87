import unittest

from cloudify.exceptions import NonRecoverableError
from cloudify.mocks import MockCloudifyContext
from cloudify.state import current_ctx

from greeter import tasks


class TestTasks(unittest.TestCase):
    def run_in(self, language, function):
        ctx = MockCloudifyContext(
            node_id='one_1', node_name='one', properties={'language': language}, runtime_properties={})
        with current_ctx.push(ctx):
            function(ctx=ctx)
        return dict(ctx.instance.runtime_properties)

    def test_create(self):
        self.assertEqual(self.run_in('fr', tasks.create), {'word': 'Bonjour'})

    def test_a_language_that_nobody_speaks(self):
        with self.assertRaisesRegex(NonRecoverableError, 'nobody here speaks xx; known: de, en, fr'):
            self.run_in('xx', tasks.create)

    def test_delete(self):
        self.assertEqual(self.run_in('en', tasks.delete), {})


if __name__ == '__main__':
    unittest.main()
