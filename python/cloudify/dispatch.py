"""Runs one operation: FOLDER/input.json → call → FOLDER/output.json (docs/reference/python.md, "Dispatch")."""
import copy
import importlib
import json
import os
import sys

from cloudify.answer import NO_SPACE_EXIT, AnswerFile, is_no_space
from cloudify.context import CloudifyContext
from cloudify.error_wire import error_payload
from cloudify.exceptions import NonRecoverableError
from cloudify.state import current_ctx


def main(folder=None, request=None):
    """`request` is what is in input.json, if that is known already."""
    folder = folder or sys.argv[1]
    if request is None:
        with open(os.path.join(folder, 'input.json'), encoding='utf-8') as source:
            request = json.load(source)
    try:
        answer = AnswerFile(folder)
        output, text = _answer_to(request, folder, answer.say if request.get('journal') else None)
        _flush()
        answer.write(output, text)
    except OSError as error:
        if not is_no_space(error):
            raise
        sys.exit(NO_SPACE_EXIT)


def _answer_to(request, folder, say):
    """The answer, and its text."""
    try:
        output = {'type': 'result', 'payload': _dispatch(
            request['cloudify_context'], request.get('args') or [], request.get('kwargs') or {}, folder, say)}
        return output, _result_text(output)
    except BaseException as error:  # SystemExit too: a script that exits must not end without an answer
        output = {'type': 'error', 'payload': error_payload(error)}
        return output, _error_text(output)


def _flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            pass  # the log's disk may be full, or the script may have closed it: its answer counts all the same


def dispatch(__cloudify_context, *args, **kwargs):
    """Runs what the context names, in this process. Raises what it raises."""
    if not __cloudify_context.get('task_target'):
        kwargs = copy.deepcopy(kwargs)  # the caller's own objects: a task that is tried again begins with them
    return _dispatch(__cloudify_context, list(args), kwargs)


def _dispatch(context: dict, args: list, kwargs: dict, folder=None, say=None):
    kind = context.get('type', 'operation')
    if kind == 'workflow':
        from cloudify.workflows.run import run_workflow
        return run_workflow(find_function, context, kwargs, folder)
    ctx = CloudifyContext(context, folder, say)
    try:
        if kind == 'hook':
            return find_function(context['task_name'])(*args, **kwargs)
        return run_operation(ctx, context, args, kwargs)
    finally:
        ctx.events.close()


def run_operation(ctx, context, args, kwargs):
    if context.get('has_intrinsic_functions'):
        kwargs = ctx._endpoint.evaluate_functions(kwargs)
    with current_ctx.push(ctx, kwargs):
        try:
            function = find_function(context['task_name'])
            if ctx.resume and not getattr(function, 'resumable', False):
                raise NonRecoverableError('Cannot resume - operation not resumable')
            passed = dict(kwargs) if context.get('no_ctx_kwarg') else dict(kwargs, ctx=ctx)
            result = function(*args, **passed)
            if ctx.operation._operation_retry is not None:
                raise ctx.operation._operation_retry
        except BaseException:
            _save(ctx, failing=True)
            raise
        _save(ctx, failing=False)
        return result


def find_function(task_name: str):
    """`package.module.function`, or `package.module.Class.method`: imports as far as there are modules."""
    names = (task_name or '').split('.')
    if len(names) < 2 or not all(names):
        raise NonRecoverableError('Not a function name: "{0}" (expected module.function)'.format(task_name))
    module_name = '.'.join(names[:-1])
    while True:
        try:
            found = importlib.import_module(module_name)
            break
        except ModuleNotFoundError as error:
            parent = module_name.rpartition('.')[0]
            # Not ours to step over: the module exists, but something that it imports does not.
            if not parent or error.name is None or not (module_name + '.').startswith(error.name + '.'):
                raise
            module_name = parent
    for name in names[module_name.count('.') + 1:]:
        if not hasattr(found, name):
            raise NonRecoverableError('{0} has no {1}, which operation {2} names'.format(
                module_name, name, task_name))
        found = getattr(found, name)
    return found


def _save(ctx, failing):
    """Writes changed runtime properties, also after a failure: then the operation's own error stays the one shown."""
    for instance in ctx.instances():
        try:
            instance.update()
        except Exception as error:
            if not failing:
                raise
            ctx.logger.error('Runtime properties of %s were not stored: %s', instance.id, error)


def _result_text(output):
    try:
        return json.dumps(output, allow_nan=False)  # NaN and Infinity are Python's own, which nobody else reads
    except (TypeError, ValueError) as error:
        raise NonRecoverableError('The operation returned a value that is not JSON: {0}'.format(error)) from error


def _error_text(output):
    try:
        return json.dumps(output, default=repr, allow_nan=False)
    except (TypeError, ValueError):  # a pause of infinity, causes with keys that are no texts
        payload = dict(output['payload'], known_exception_type_args=[], known_exception_type_kwargs={'causes': []})
        return json.dumps(dict(output, payload=payload))


if __name__ == '__main__':
    main()
