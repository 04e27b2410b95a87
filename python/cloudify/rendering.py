"""Jinja2 templates (spec/operations.md 2.2)."""
from cloudify.exceptions import NonRecoverableError

MARKS = (b'{{', b'{#', b'{%')


def render(content: bytes, variables: dict, ctx) -> bytes:
    """The rendered text; content without any mark of Jinja2 is returned as it is, text or not."""
    if 'ctx' in variables:
        raise NonRecoverableError('The template variable "ctx" is taken by the operation\'s ctx: rename yours')
    if not any(mark in content for mark in MARKS):
        return content
    from jinja2 import Template  # 60 ms: only when there is something to render
    return Template(content.decode('utf-8')).render(dict(variables, ctx=ctx)).encode()
