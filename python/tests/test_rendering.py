import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'vendor'))

from cloudify import rendering
from cloudify.exceptions import NonRecoverableError


class RenderingTest(unittest.TestCase):
    def test_rendered(self):
        self.assertEqual(rendering.render(b'a {{ x }} {% for i in range(3) %}{{ i }}{% endfor %}', {'x': 1}, None), b'a 1 012')
        self.assertEqual(rendering.render(b'\xff', {}, None), b'\xff')

    def test_a_template_of_a_few_bytes_makes_no_more_than_the_limit(self):
        with self.assertRaisesRegex(NonRecoverableError, 'more than 64 MiB'):
            rendering.render(b"{% for i in range(10**9) %}{{ 'x' * 1000 }}{% endfor %}", {}, None)


if __name__ == '__main__':
    unittest.main()
