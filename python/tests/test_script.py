from tests.operation import OperationCase


class BashScript(OperationCase):
    def test_reads_properties_and_writes_runtime_properties(self):
        self.bash('ctx instance runtime-properties port $(ctx node properties port)\n'
                  "ctx instance runtime-properties ports @'[80, 443]'\n"
                  'ctx instance runtime-properties a.b.c deep')
        self.assertEqual(self.runtime_properties(), {'port': '8080', 'ports': [80, 443], 'a': {'b': {'c': 'deep'}}})


if __name__ == '__main__':
    import unittest
    unittest.main()
