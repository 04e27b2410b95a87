import importlib
import sys
import threading
import unittest


class Imports(unittest.TestCase):
    def test_threads_may_import_the_client_at_once(self):
        """The thread that sends events imports it while a script does."""
        failures = []

        def load(name):
            try:
                importlib.import_module('cloudify_rest_client' + name)
            except Exception as error:
                failures.append(error)

        def forget():
            for name in [name for name in sys.modules if name.startswith('cloudify_rest_client')]:
                del sys.modules[name]

        self.addCleanup(sys.modules.update, {k: v for k, v in sys.modules.items() if k.startswith('cloudify_rest')})
        self.addCleanup(forget)
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(1e-6)
        for _ in range(50):
            forget()
            threads = [threading.Thread(target=load, args=(name,)) for name in ('', '.connection', '.client', '.exceptions')]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(failures, [])
