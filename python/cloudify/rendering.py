"""Jinja2 templates (docs/reference/operations.md, "Files")."""
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
    from jinja2 import Template  # 60 ms: only when there is something to render
    rendered = bytearray()
    for part in Template(content.decode('utf-8')).generate(dict(variables, ctx=ctx)):
        rendered += part.encode()
        if len(rendered) > LONGEST:
            raise NonRecoverableError('The template makes more than %d MiB' % (LONGEST // 2 ** 20))
    return bytes(rendered)
