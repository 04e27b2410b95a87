import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
import zipfile

from tests import wagons

RUNTIME = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIMITS = {'files': 5000, 'bytes': 50 * 2 ** 20, 'seconds': 300}


class Installation(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='tutti-wagons-')
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = os.path.join(self.folder, 'environment')

    def install(self, name, version='1.0', wheels=(), said=None, limits=LIMITS, asked=None):
        shutil.rmtree(os.path.join(self.folder, 'wagon'), ignore_errors=True)
        wagon = wagons.unpacked(os.path.join(self.folder, 'wagon'), name, version, wheels, said)
        return self.run_installer({
            'kind': 'wagon', 'wagon': wagon, 'package_name': asked or name, 'package_version': version,
            'folder': self.environment, 'limits': limits})

    def run_installer(self, request):
        shutil.rmtree(self.environment, ignore_errors=True)
        path = os.path.join(self.folder, 'request.json')
        with open(path, 'w') as target:
            json.dump(request, target)
        done = subprocess.run(
            [sys.executable, '-I', os.path.join(RUNTIME, 'install_plugin.py'), path],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        *self.progress, last = map(json.loads, done.stdout.splitlines())
        return last

    def python(self, text):
        return subprocess.run(
            [os.path.join(self.environment, 'bin', 'python'), '-c', text], check=True,
            stdout=subprocess.PIPE, universal_newlines=True, cwd=self.folder, env={'PATH': os.defpath}).stdout.strip()


class TestWagons(Installation):
    def test_a_plugin_and_what_it_needs_is_installed_from_its_wagon_alone(self):
        answer = self.install('my-plugin', wheels=[
            dict(name='my-plugin', files={'my_plugin/__init__.py': '', 'my_plugin/tasks.py': 'import deep\n'},
                 requires=['wide>=2', 'cloudify-common>=7.0.2', 'gone; python_version < "3"'], programs=['mine = my_plugin.tasks:deep']),
            dict(name='wide', version='2.1', files={'wide.py': 'import deep'}, requires=['deep[more]<3']),
            dict(name='deep', version='2.0', files={'deep.py': 'found = 2'}, requires=['extra; extra == "more"']),
            dict(name='deep', version='3.0', files={'deep.py': 'found = 3'}),
            dict(name='extra', files={'extra.py': ''}),
            dict(name='unneeded', files={'unneeded.py': ''})])
        self.assertEqual(answer, {'installed': ['my-plugin==1.0', 'wide==2.1', 'deep==2.0', 'extra==1.0']})
        self.assertEqual(
            [one['progress'] for one in self.progress][:2],
            [{'done': 0, 'total': 4, 'message': 'my-plugin 1.0'}, {'done': 1, 'total': 4, 'message': 'wide 2.1'}])
        self.assertEqual(self.python(
            'import my_plugin.tasks, cloudify, importlib.util; '
            'print(my_plugin.tasks.deep.found, cloudify.__file__, importlib.util.find_spec("unneeded"))'),
            '2 {0} None'.format(os.path.join(RUNTIME, 'cloudify', '__init__.py')))
        with open(os.path.join(self.environment, 'bin', 'mine')) as program:
            self.assertEqual(program.readline().strip(), '#!' + os.path.join(self.environment, 'bin', 'python'))

    def test_an_original_sdk_in_the_wagon_wins(self):
        self.install('p', wheels=[
            dict(name='p', requires=['cloudify-common>=7']),
            dict(name='cloudify-common', version='7.0.5', files={'cloudify/__init__.py': 'original = True'})])
        self.assertEqual(self.python('import cloudify; print(cloudify.original)'), 'True')

    def test_what_is_there_already_serves_when_the_wagon_has_none_that_fits(self):
        self.assertIn('installed', self.install('p', wheels=[
            dict(name='p', requires=['cloudify-common>=7']),
            dict(name='cloudify-common', version='5.0', files={'cloudify/__init__.py': ''})]))
        self.assertEqual(self.python('import cloudify; print(cloudify.__file__)'), os.path.join(RUNTIME, 'cloudify', '__init__.py'))

    def test_packages_that_bring_the_same_file_get_along(self):
        self.assertIn('installed', self.install('p', wheels=[
            dict(name='p', requires=['other'], files={'tests/__init__.py': ''}),
            dict(name='other', files={'tests/__init__.py': '# other'})]))

    def test_data_programs_and_headers_lie_in_the_environment(self):
        data = 'p-1.0.data/'
        self.install('p', wheels=[dict(name='p', files={
            data + 'scripts/run': '#!python\nprint(1)\n', data + 'data/share/p/text': 'text', data + 'headers/p.h': '',
            data + 'purelib/p.py': 'here = 1'})])
        with open(os.path.join(self.environment, 'bin', 'run')) as program:
            self.assertEqual(program.read(), '#!{0}\nprint(1)\n'.format(os.path.join(self.environment, 'bin', 'python')))
        self.assertTrue(os.path.isfile(os.path.join(self.environment, 'share', 'p', 'text')))
        self.assertEqual(self.python('import p; print(p.here)'), '1')


class TestRefusals(Installation):
    def refused(self, *args, **kwargs):
        answer = self.install(*args, **kwargs)
        self.assertEqual(list(answer), ['refused'], answer)
        return answer['refused']

    def test_for_another_python_or_platform(self):
        for tag, said in (
                ('cp27-cp27mu-linux_x86_64', {'supported_python_versions': ['py27'], 'supported_platform': 'linux_x86_64'}),
                ('py2-none-any', {'supported_python_versions': ['py27']}),
                ('cp399-cp399-any', {'supported_python_versions': ['py399']}),
                ('py3-none-win_amd64', {'supported_platform': 'win_amd64'}),
                ('py3-none-any', {'supported_platform': 'win_amd64'}),
                ('py3-none-manylinux_2_99_x86_64', {
                    'supported_platform': 'any', 'build_server_os_properties': {'distribution': 'future', 'distribution_version': '9'}})):
            with self.subTest(tag=tag, said=said):
                text = self.refused('p', wheels=[dict(name='p', tag=tag)], said=said)
                self.assertRegex(text, 'the wagon is for .*; here is Python 3')
                for value in said.values():
                    self.assertIn(value[0] if isinstance(value, list) else value if isinstance(value, str) else value['distribution'], text)

    def test_of_what_does_not_fit_together(self):
        for wheels, words in (
                ([dict(name='p', requires=['absent>=2'])], ['absent>=2', 'p-1.0-py3-none-any.whl', 'none']),
                ([dict(name='p', requires=['q<2']), dict(name='q', version='2.0')], ['q<2', 'q-2.0-py3-none-any.whl']),
                ([dict(name='p', python='>=3.99')], ['>=3.99', 'here is Python']),
                ([dict(name='p', requires=['q @@ 1'])], ['q @@ 1']),
                ([dict(name='q')], ['p==1.0']),
                ([dict(name='p', version='2.0')], ['p==1.0', 'p-2.0']),
                ([], ['no wheels'])):
            with self.subTest(words=words):
                text = self.refused('p', wheels=wheels)
                for word in words:
                    self.assertIn(word, text)

    def test_of_another_name_or_version_than_was_asked_for(self):
        self.assertIn("'p'", self.refused('p', asked='aws', wheels=[dict(name='p')]))

    def test_of_metadata_that_is_none(self):
        os.makedirs(os.path.join(self.folder, 'wagon', 'wheels'))
        for text in ('', '[]', '{"package_name": 1}', '[' * 100000, '{"package_name": "p"}', 'x' * 2 ** 21):
            with self.subTest(text=text[:20]):
                with open(os.path.join(self.folder, 'wagon', 'package.json'), 'w') as target:
                    target.write(text)
                answer = self.run_installer({
                    'kind': 'wagon', 'wagon': os.path.join(self.folder, 'wagon'), 'package_name': 'p', 'package_version': '1',
                    'folder': self.environment, 'limits': LIMITS})
                self.assertIn('package.json', answer['refused'])

    def test_of_ten_thousand_wheels(self):
        os.makedirs(os.path.join(self.folder, 'wagon', 'wheels'))
        for number in range(10000):
            open(os.path.join(self.folder, 'wagon', 'wheels', 'p-1.{0}-py3-none-any.whl'.format(number)), 'w').close()
        wagons.describe(os.path.join(self.folder, 'wagon'), 'p', '1.0')
        self.assertIn('10000 wheels', self.run_installer({
            'kind': 'wagon', 'wagon': os.path.join(self.folder, 'wagon'), 'package_name': 'p', 'package_version': '1.0',
            'folder': self.environment, 'limits': LIMITS})['refused'])

    def test_of_what_is_not_as_its_record_says(self):
        for changed, word in (
                ({'p.py': 'p.py,sha256={0},3'.format(wagons.digest(b'two'))}, 'not the file'),
                ({'p.py': None}, 'does not mention'), ({'p.py': 'p.py,,'}, 'no sha256'),
                ({'p.py': 'p.py,md5=abc,3'}, 'no sha256'), ({'p.py': 'p.py'}, 'no proper wheel')):
            with self.subTest(changed=changed):
                self.assertIn(word, self.refused('p', wheels=[dict(name='p', files={'p.py': 'one'}, record=changed)]))

    def test_of_files_that_would_lie_elsewhere(self):
        outside = os.path.join(self.folder, 'outside')
        data = 'p-1.0.data/'
        for path in ('../outside', '/' + outside, outside, 'a/../../../../../outside', data + 'data/../../outside',
                     data + 'scripts/../../outside', data + 'data//outside', 'a\\..\\outside', './outside',
                     data + 'headers/../../../../../outside', data + 'other/x', '..', data + 'scripts/deep/outside'):
            with self.subTest(path=path):
                text = self.refused('p', wheels=[dict(name='p', files={path: 'outside'})])
                self.assertIn('p-1.0-py3-none-any.whl', text)
                self.assertFalse(os.path.exists(outside))

    def test_of_what_would_replace_parts_of_the_environment(self):
        data = 'p-1.0.data/'
        here = 'lib/python{0}.{1}/site-packages/'.format(*sys.version_info)
        for files, programs in (
                ({data + 'scripts/python': ''}, ()), ({data + 'scripts/python3': ''}, ()),
                ({data + 'data/bin/python': ''}, ()), ({data + 'data/pyvenv.cfg': ''}, ()),
                ({data + 'scripts/python3/x': ''}, ()), ({'_tutti.pth': ''}, ()), ({data + 'data/lib64': ''}, ()),
                ({data + 'data/' + here + '_tutti.pth': ''}, ()), ({data + 'data/lib64/' + here[4:] + '_tutti.pth': ''}, ()),
                ({}, ['python = os:getcwd']), ({}, ['../python = os:getcwd']), ({}, ['/tmp/tutti-outside = os:getcwd']),
                ({data + 'data/bin': ''}, ()), ({}, ['activate = os:getcwd']), ({data + 'data/bin/python3/x': ''}, ()),
                ({'a': '', 'a/b': ''}, ())):
            with self.subTest(files=files, programs=programs):
                self.assertIn('p-1.0-py3-none-any.whl', self.refused(
                    'p', wheels=[dict(name='p', files=files, programs=programs)]))
                self.assertFalse(os.path.exists('/tmp/tutti-outside'))
                self.python('import sys')

    def test_of_links_and_devices(self):
        for kind in (stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO):
            item = zipfile.ZipInfo('link')
            item.external_attr = (kind | 0o777) << 16
            self.assertIn('neither a file nor a folder', self.refused('p', wheels=[dict(name='p', more=[(item, '/etc')])]))

    def test_of_bombs(self):
        small = dict(LIMITS, bytes=2 ** 20)
        self.assertIn('unpacks to more', self.refused(
            'p', wheels=[dict(name='p', files={'zeros': '0' * 2 ** 22})], limits=small))
        # Each of them is within the limit.
        self.assertIn('unpacks to more', self.refused('p', limits=small, wheels=[
            dict(name='p', requires=['q']), *(dict(name=name, requires=['r'], files={name: '0' * 2 ** 19}) for name in 'qr')]))
        self.assertIn('5000 files', self.refused(
            'p', wheels=[dict(name='p', files={str(number): '' for number in range(5001)})]))

    def test_of_another_cloudify_than_the_sdk(self):
        for path in ('cloudify/__init__.py', 'cloudify.py', 'cloudify/dispatch.py', 'p-1.0.data/purelib/cloudify/x.py'):
            with self.subTest(path=path):
                self.assertIn('SDK', self.refused('p', wheels=[dict(name='p', files={path: ''})]))

    def test_of_damaged_wheels(self):
        wagon = wagons.unpacked(os.path.join(self.folder, 'wagon'), 'p', wheels=[dict(name='p', files={'p.py': 'x' * 10000})])
        path = os.path.join(wagon, 'wheels', 'p-1.0-py3-none-any.whl')
        with open(path, 'rb') as source:
            whole = source.read()
        for data in (b'', b'PK', whole[:len(whole) // 2], whole[:200] + b'\0' * 20 + whole[220:], b'x' * 1000):
            with self.subTest(data=data[:10]):
                with open(path, 'wb') as target:
                    target.write(data)
                answer = self.run_installer({
                    'kind': 'wagon', 'wagon': wagon, 'package_name': 'p', 'package_version': '1.0',
                    'folder': self.environment, 'limits': LIMITS})
                self.assertIn('p-1.0-py3-none-any.whl', answer['refused'])

    def test_no_code_of_a_wagon_is_run(self):
        trap = os.path.join(self.folder, 'trap')
        text = 'import os; open({0!r}, "w")'.format(trap)
        self.assertIn('installed', self.install('p', wheels=[dict(name='p', files={
            'trap.pth': text + '\n', 'sitecustomize.py': text, 'usercustomize.py': text, 'p.py': text, 'installer.py': text,
            'p-1.0.data/scripts/pip': text})]))
        self.assertFalse(os.path.exists(trap))


if __name__ == '__main__':
    unittest.main()
