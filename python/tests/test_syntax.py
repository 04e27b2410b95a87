import ast
import os
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Syntax(unittest.TestCase):
    def test_every_file_is_of_the_oldest_python(self):
        """What the older one does not have besides, `runtime.test.ts` finds where there is one."""
        count = 0
        for folder, folders, names in os.walk(ROOT):
            folders[:] = [name for name in folders if name not in ('vendor', 'build', '__pycache__')]
            for path in (os.path.join(folder, name) for name in names if name.endswith('.py')):
                with open(path, encoding='utf-8') as file:
                    ast.parse(file.read(), path, feature_version=(3, 8))
                count += 1
        self.assertGreater(count, 100)
