import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from tests import wagons

RUNTIME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# A project that builds itself: neither setuptools nor a network is everywhere.
BACKEND = '''
import os, zipfile
METADATA = 'Metadata-Version: 2.1\\nName: My.Plugin\\nVersion: 1.5\\nRequires-Dist: cloudify-common>=7.0.2\\nRequires-Dist: helper\\n'
def build_wheel(folder, config_settings=None, metadata_directory=None):
    with zipfile.ZipFile(os.path.join(folder, 'my_plugin-1.5-py3-none-any.whl'), 'w') as wheel:
        wheel.writestr('my_plugin.py', 'import helper\\n')
        wheel.writestr('my_plugin-1.5.dist-info/METADATA', METADATA)
        wheel.writestr('my_plugin-1.5.dist-info/WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
        wheel.writestr('my_plugin-1.5.dist-info/RECORD', 'my_plugin.py,{hash},14\\n')
    return 'my_plugin-1.5-py3-none-any.whl'
'''


class TestPack(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='tutti-pack-test-')
        self.addCleanup(shutil.rmtree, self.folder)
        self.project, self.wheels = (os.path.join(self.folder, name) for name in ('project', 'wheels'))
        os.mkdir(self.project)
        os.mkdir(self.wheels)

    def pack(self):
        done = subprocess.run(
            [sys.executable, os.path.join(RUNTIME, 'pack_plugin.py'), json.dumps(
                {'project': self.project, 'target': self.folder, 'wheels': self.wheels})],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout.splitlines()[-1])

    def write(self):
        with open(os.path.join(self.project, 'pyproject.toml'), 'w') as target:
            target.write('[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n')
        with open(os.path.join(self.project, 'backend.py'), 'w') as target:
            target.write(BACKEND.replace('{hash}', 'sha256=' + wagons.digest(b'import helper\n')))

    def test_a_project_with_what_it_needs_and_without_the_sdk(self):
        self.write()
        wagons.wheel(self.wheels, 'helper', '0.3', files={'helper.py': ''})
        wagons.wheel(self.wheels, 'unneeded')
        packed = self.pack()['packed']
        self.assertEqual(packed['wheels'], ['helper-0.3-py3-none-any.whl', 'my_plugin-1.5-py3-none-any.whl'])
        self.assertEqual(os.path.basename(packed['wagon']), 'my_plugin-1.5-py3-none-any.wgn')
        self.assertEqual((packed['package_name'], packed['package_version']), ('My.Plugin', '1.5'))

    def test_what_is_missing_is_said(self):
        self.assertIn('neither pyproject.toml nor setup.py', self.pack()['refused'])
        self.write()
        self.assertIn('helper', self.pack()['refused'])


if __name__ == '__main__':
    unittest.main()
