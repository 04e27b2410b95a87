"""Jinja2 templates (docs/reference/operations.md, "Files")."""
import os
import sys
from typing import Any

from cloudify.exceptions import NonRecoverableError

MARKS = (b'{{', b'{#', b'{%')
# Loops in a template of a few bytes can make any length; a file that an operation needs has megabytes at most.
LONGEST = 64 * 2 ** 20


def render(content: bytes, variables: dict, ctx) -> bytes:
    """The rendered text; content without any mark of Jinja2 is returned as it is, text or not."""
    if 'ctx' in variables:
        raise NonRecoverableError('The template variable "ctx" is taken by the operation\'s ctx: rename yours')
    if not any(mark in content for mark in MARKS):
        return content
    rendered = bytearray()
    for part in template_class()(content.decode('utf-8')).generate(dict(variables, ctx=ctx)):
        rendered += part.encode()
        if len(rendered) > LONGEST:
            raise NonRecoverableError('The template makes more than %d MiB' % (LONGEST // 2 ** 20))
    return bytes(rendered)


def template_class() -> Any:
    """That of an installed Jinja2, else of the one that stands beside the SDK. It takes 60 ms to import, so that is done
    only when there is something to render."""
    vendor = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'vendor')
    if vendor not in sys.path and os.path.isdir(vendor):
        sys.path.append(vendor)
    try:
        from jinja2 import Template
    except ImportError as error:
        raise NonRecoverableError('Templates need Jinja2: pip install jinja2 ({0})'.format(error)) from error
    return Template
