"""The operation that every script implementation becomes (docs/reference/operations.md, "Scripts")."""
from cloudify.decorators import operation, workflow
from cloudify.exceptions import NonRecoverableError
from script_runner.answers import add_answers
from script_runner.source import script_file


@operation(resumable=True)
def run(script_path=None, process=None, ssl_cert_content=None, script_source=None, ctx=None, **inputs):
    """Runs a script: a file of the blueprint, a URL, or inline text. Other inputs become environment variables."""
    if ctx is None:
        from cloudify import ctx
    if not script_path and not script_source:
        raise NonRecoverableError('Either script_path or script_source must be provided')
    if script_path and script_source:
        raise NonRecoverableError('Only provide script_path or script_source, not both')
    process = dict(process or {})
    eval_python = process.get('eval_python')
    add_answers(ctx)
    with script_file(ctx, script_path or None, script_source or None, eval_python, ssl_cert_content) as path:
        if eval_python or (eval_python is None and path.endswith('.py')):
            from script_runner.in_process import run_in_process
            return run_in_process(ctx, path)
        from script_runner.process import run_process
        return run_process(ctx, path, process, inputs)


@workflow(resumable=True)
def execute_workflow(**_):
    raise NonRecoverableError('Workflows written as scripts are not built yet in this manager')
