"""The script's text: from a URL, a file, the blueprint, or inline."""
import ast
import os
import shutil
import tempfile
import textwrap
from contextlib import contextmanager

from cloudify.answer import is_no_space
from cloudify.exceptions import HttpException, NonRecoverableError, RecoverableError
from cloudify.resources import exec_folder


@contextmanager
def script_file(ctx, script_path, script_source, eval_python, ssl_cert_content):
    """The path of an executable copy, which is removed at the end."""
    parent = getattr(ctx, '_folder', None) or exec_folder()
    place = Place(parent, is_own=getattr(ctx, '_folder', None) is not None)
    try:
        try:
            if script_source is not None:
                path = _write_source(place, script_source, eval_python)
            else:
                path = _fetch(ctx, place, script_path, ssl_cert_content)
            os.chmod(path, 0o755)
        except OSError as error:
            if is_no_space(error):
                raise RecoverableError('no space left on {0} for the script'.format(
                    parent or tempfile.gettempdir())) from error
            raise
        yield path
    finally:
        place.clear()


class Place:
    """Where the script is put: in the operation's own folder where that is free, as a new folder is dear on some file
    systems, else in a temporary one."""

    TAKEN = ('ctx', 'input.', 'output.', 'request-')  # what the names of the worker's files begin with

    def __init__(self, parent, is_own):
        self._parent = parent
        self._is_own = is_own
        self._made = None

    def path(self, name):
        """Of the script, which is still to be written."""
        own = os.path.join(self._parent or '', name)
        if self._is_own and not name.startswith(self.TAKEN) and not os.path.lexists(own):
            self._made = own
            return own
        self._made = tempfile.mkdtemp(prefix='script-', dir=self._parent)
        return os.path.join(self._made, name)

    def clear(self):
        if self._made is None:
            return
        try:
            os.unlink(self._made)
        except FileNotFoundError:
            pass
        except OSError:
            shutil.rmtree(self._made, ignore_errors=True)


def _write_source(place, script_source, eval_python):
    text = textwrap.dedent(script_source)
    is_python = eval_python or (eval_python is None and _parses_as_python(text))
    path = place.path('script.py' if is_python else 'script.sh')
    with open(path, 'w', encoding='utf-8') as target:
        target.write(text)
    return path


def _parses_as_python(text):
    if text.startswith('#!') and 'python' not in text.split('\n', 1)[0]:
        return False  # `#!/bin/sh` over `true` would parse
    try:
        ast.parse(text)
        return True
    except (SyntaxError, ValueError):
        return False


def _fetch(ctx, place, script_path, ssl_cert_content):
    if '://' in script_path:
        return _fetch_url(place.path, script_path, ssl_cert_content)
    target = place.path(os.path.basename(script_path) or 'script')
    if getattr(ctx, '_folder', None) is None:
        # Not in a worker's operation, but in a test: there `ctx` answers with a file of its own.
        shutil.copyfile(ctx.download_resource(script_path), target)
    else:
        ctx.download_resource(script_path, target)
    return target


def _fetch_url(path_of, script_path, ssl_cert_content):
    scheme = script_path.split('://')[0].lower()
    target = path_of(os.path.basename(script_path.split('?')[0]) or 'script')
    if scheme in ('http', 'https'):
        _download(script_path, target, ssl_cert_content)
    elif scheme == 'file':
        from urllib.parse import unquote
        source = unquote(script_path[len('file://'):])
        if not os.path.isfile(source):
            raise NonRecoverableError('Script {0} does not exist on {1}'.format(script_path, os.uname().nodename))
        shutil.copyfile(source, target)
    else:
        raise NonRecoverableError('Script {0}: only http, https and file URLs can be fetched'.format(script_path))
    return target


def download_resource(download_resource_func, script_path, ssl_cert_content=None):
    """The path of the script: a file of the blueprint by `download_resource_func(path)`, else a copy of what the URL
    names."""
    if '://' not in script_path:
        return download_resource_func(script_path)
    folder = tempfile.mkdtemp(prefix='script-', dir=exec_folder())
    return _fetch_url(lambda name: os.path.join(folder, name), script_path, ssl_cert_content)


def _download(url, target, ssl_cert_content):
    import urllib.error
    import urllib.request
    context = None
    if ssl_cert_content:
        import ssl
        context = ssl.create_default_context(cadata=ssl_cert_content)
    try:
        with urllib.request.urlopen(url, timeout=300, context=context) as answer, open(target, 'wb') as file:
            shutil.copyfileobj(answer, file)
    except urllib.error.HTTPError as error:
        raise HttpException(url, error.code, error.reason) from error
