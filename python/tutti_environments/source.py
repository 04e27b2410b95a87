"""Source plugins: a folder of a blueprint, or an address, by pip, which runs code of theirs."""
import codecs
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

from . import interpreter
from .refusal import Refusal

LAST_WORDS = 4000


def install(environment, source, install_arguments, work_folder):
    if not interpreter.has_pip():
        raise Refusal(
            'a plugin from its source is installed by pip, which {0} does not have: install pip there, or pack the plugin '
            'as a wagon (tutti plugins pack) and upload it'.format(interpreter.here()))
    try:
        arguments = shlex.split(install_arguments or '')
    except ValueError as error:
        raise Refusal('its install_arguments cannot be read: {0}'.format(error))
    folder = None
    if os.path.isabs(source):
        # pip builds beside the sources, which are read-only.
        folder = tempfile.mkdtemp(prefix='source-', dir=work_folder)
        shutil.copytree(source, os.path.join(folder, 'plugin'), symlinks=True)
        for path, folders, _ in os.walk(folder):
            for name in folders:
                os.chmod(os.path.join(path, name), 0o755)
        source = os.path.join(folder, 'plugin')
    try:
        run([environment.python, '-m', 'pip', 'install', '--no-input', '--disable-pip-version-check', *arguments, source],
            source if folder else work_folder)
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def run(command, folder):
    """What it prints goes on to whoever reads our errors; the last of it is the reason when it fails."""
    process = subprocess.Popen(
        command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    last = ''
    decoder = codecs.getincrementaldecoder('utf-8')('replace')
    for piece in iter(lambda: process.stdout.read1(65536), b''):
        text = decoder.decode(piece)
        sys.stderr.write(text)
        last = (last + text)[-LAST_WORDS:]
    code = process.wait()
    if code != 0:
        raise Refusal('pip ended with {0}: {1}'.format(code, last.strip() or 'it said nothing'))
