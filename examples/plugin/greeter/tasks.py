"""Operations: each may run again when its worker was lost, and comes to the same then."""
from cloudify.decorators import operation
from cloudify.exceptions import NonRecoverableError

WORDS = {'en': 'Hello', 'de': 'Hallo', 'fr': 'Bonjour'}


@operation(resumable=True)
def create(ctx, **_):
    language = ctx.node.properties['language']
    if language not in WORDS:
        raise NonRecoverableError('nobody here speaks {0}; known: {1}'.format(language, ', '.join(sorted(WORDS))))
    ctx.instance.runtime_properties['word'] = WORDS[language]


@operation(resumable=True)
def delete(ctx, **_):
    for name in ('word', 'greeted'):
        ctx.instance.runtime_properties.pop(name, None)


@operation(resumable=True)
def greet(ctx, **_):
    """Of the relationship: the source greets the target."""
    text = '{0}, {1}!'.format(ctx.source.instance.runtime_properties['word'], ctx.target.node.name)
    ctx.logger.info(text)
    ctx.source.instance.runtime_properties['greeted'] = text
