"""What this interpreter is, and what can be installed for it."""
import os
import platform
import site
import sys
import sysconfig
import importlib.util

from packaging import tags


def describe():
    """What an environment for this interpreter depends on, and what people want to know of it."""
    return {
        'python': platform.python_version(),
        'here': here(),
        # An environment fits as long as these stay the same.
        'key': [
            os.path.realpath(getattr(sys, '_base_executable', None) or sys.executable),
            sys.prefix, sys.implementation.cache_tag, sysconfig.get_config_var('SOABI') or '', sysconfig.get_platform()],
        'platforms': sorted(platforms(supported())),
    }


def has_pip():
    return importlib.util.find_spec('pip') is not None


def here():
    libc = ' '.join(part for part in platform.libc_ver() if part)
    return 'Python {0} on {1}{2}'.format(
        platform.python_version(), sysconfig.get_platform(), ' ({0})'.format(libc) if libc else '')


def own_packages():
    """The folders that packages are installed in for this interpreter itself."""
    return [folder for folder in site.getsitepackages() if os.path.isdir(folder)]


def supported():
    """The tags of wheels that this interpreter can use, the best first."""
    return {tag: rank for rank, tag in reversed(list(enumerate(tags.sys_tags())))}


def platforms(ranks):
    return {tag.platform for tag in ranks}
