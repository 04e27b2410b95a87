"""Names that plugins of the time of Python 2 import from here. Newer code takes them from Python itself."""
import builtins
import queue
from io import StringIO
from typing import Any, NoReturn
from urllib.parse import parse_qs, quote, unquote, urlencode, urljoin, urlparse, urlsplit, urlunsplit
from urllib.request import pathname2url, urlopen

__all__ = [
    'PY2', 'StringIO', 'builtins', 'exec_', 'parse_qs', 'pathname2url', 'queue', 'quote', 'reraise', 'text_type',
    'unquote', 'urlencode', 'urljoin', 'urlopen', 'urlparse', 'urlquote', 'urlsplit', 'urlunquote', 'urlunsplit']

PY2 = False
text_type = str
exec_ = exec
urlquote = quote
urlunquote = unquote


def reraise(exception_type: Any, value: Any, traceback: Any = None) -> NoReturn:
    """Raises the exception again, with the traceback that it had."""
    raise (exception_type() if value is None else value).with_traceback(traceback)
