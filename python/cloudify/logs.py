"""Loggers and events of operations and workflows (docs/reference/python.md, "Logs and events")."""
import logging
import os
import sys
from datetime import datetime, timezone
from typing import Any, Callable, Dict, Optional

Out = Callable[..., None]


# ---- handlers


class CloudifyBaseLoggingHandler(logging.Handler):
    """Hands each record on as {level, logger, message, context}."""

    def __init__(self, ctx: Any, out_func: Optional[Out], message_context: Callable[[Any], Dict[str, Any]]) -> None:
        super().__init__()
        self.ctx = ctx
        self._out = out_func or manager_log_out
        self._message_context = message_context
        self._context: Optional[Dict[str, Any]] = None

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = self.format(record)
        except Exception:
            self.handleError(record)
            return
        if self._context is None:
            self._context = self._message_context(self.ctx)
        self._out({'type': 'cloudify_log', 'timestamp': _now(), 'level': record.levelname.lower(),
                   'logger': record.name, 'context': self._context, 'message': {'text': text}}, self.ctx)


class CloudifyPluginLoggingHandler(CloudifyBaseLoggingHandler):
    def __init__(self, ctx: Any, out_func: Optional[Out] = None) -> None:
        super().__init__(ctx, out_func, message_context_from_cloudify_context)


class CloudifyWorkflowLoggingHandler(CloudifyBaseLoggingHandler):
    def __init__(self, ctx: Any, out_func: Optional[Out] = None) -> None:
        super().__init__(ctx, out_func, message_context_from_workflow_context)


class CloudifyWorkflowNodeLoggingHandler(CloudifyBaseLoggingHandler):
    def __init__(self, workflow_node_instance: Any, out_func: Optional[Out] = None) -> None:
        super().__init__(workflow_node_instance.ctx, out_func, lambda _: message_context_from_workflow_node_instance(
            workflow_node_instance))


class CloudifyCtxLoggingHandler(logging.Handler):
    """Forwards the records of other loggers, a library's for example, to ctx.logger."""

    def __init__(self, ctx: Any) -> None:
        super().__init__()
        self.ctx = ctx

    def emit(self, record: logging.LogRecord) -> None:
        if record.name != self.ctx.logger.name:  # its own would come back here for ever
            self.ctx.logger.log(record.levelno, '%s', self.format(record))


def init_cloudify_logger(handler: logging.Handler, logger_name: str, logging_level: int = logging.DEBUG
                         ) -> logging.Logger:
    """The logger `ctx.NAME` with this handler and no other, and the text alone as its format."""
    logger = logging.getLogger('ctx.{0}'.format(logger_name))
    logger.setLevel(logging_level)
    handler.setFormatter(logging.Formatter('%(message)s'))
    handler.setLevel(logging_level)
    logger.handlers[:] = [handler]
    return logger


def setup_subprocess_logger() -> None:
    """The root logger of an operation's process: standard output, which the worker keeps in the log file."""
    root = logging.getLogger()
    if not root.handlers:
        handler = logging.StreamHandler(sys.stdout)
        handler.setFormatter(logging.Formatter('%(asctime)s:%(levelname)s [%(name)s] %(message)s'))
        root.addHandler(handler)
    level = os.environ.get('AGENT_LOG_LEVEL', 'INFO').upper()
    root.setLevel(level if level in logging._nameToLevel else 'INFO')


# ---- what is told of where a message comes from


def message_context_from_cloudify_context(ctx: Any) -> Dict[str, Any]:
    """Of an operation."""
    context = dict(_common_context(ctx), **{
        'task_id': ctx.task_id, 'task_name': ctx.task_name, 'task_queue': ctx.task_queue,
        'task_target': ctx.task_target, 'operation': ctx.operation.name, 'plugin': str(ctx.plugin or '') or None})
    raw = ctx._context
    related = raw.get('related')
    if related:
        own, other = ('source', 'target') if related.get('is_target') else ('target', 'source')
        for side, one in ((own, raw), (other, related)):
            context[side + '_id'] = one.get('node_id')
            context[side + '_name'] = one.get('node_name')
    else:
        context.update(node_id=raw.get('node_id'), node_name=raw.get('node_name'))
    return _told(context)


def message_context_from_workflow_context(ctx: Any) -> Dict[str, Any]:
    return _told(_common_context(ctx))


def message_context_from_workflow_node_instance(instance: Any) -> Dict[str, Any]:
    return dict(message_context_from_workflow_context(instance.ctx), node_name=instance.node_id, node_id=instance.id)


def _common_context(ctx: Any) -> Dict[str, Any]:
    tenant = ctx.tenant_name
    return {'blueprint_id': ctx.blueprint.id, 'deployment_id': ctx.deployment.id, 'execution_id': ctx.execution_id,
            'workflow_id': ctx.workflow_id, 'tenant': {'name': tenant} if tenant else None}


def _told(context: Dict[str, Any]) -> Dict[str, Any]:
    return {key: value for key, value in context.items() if value is not None}


# ---- events


def send_workflow_event(ctx: Any, event_type: str, message: Optional[str] = None, args: Any = None,
                        additional_context: Optional[Dict[str, Any]] = None, out_func: Optional[Out] = None) -> None:
    _send_event(ctx, message_context_from_workflow_context(ctx), event_type, message, args, additional_context,
                out_func)


def send_workflow_node_event(ctx: Any, event_type: str, message: Optional[str] = None, args: Any = None,
                             additional_context: Optional[Dict[str, Any]] = None, out_func: Optional[Out] = None
                             ) -> None:
    """`ctx` is the workflow's node instance."""
    _send_event(ctx.ctx, message_context_from_workflow_node_instance(ctx), event_type, message, args,
                additional_context, out_func)


def send_plugin_event(ctx: Any, message: Optional[str] = None, args: Any = None,
                      additional_context: Optional[Dict[str, Any]] = None, out_func: Optional[Out] = None) -> None:
    _send_event(ctx, message_context_from_cloudify_context(ctx), 'plugin_event', message, args, additional_context,
                out_func)


def send_task_event(cloudify_context: Dict[str, Any], event_type: str, message: Optional[str] = None,
                    args: Any = None, additional_context: Optional[Dict[str, Any]] = None,
                    out_func: Optional[Out] = None) -> None:
    """`cloudify_context` is the dictionary that the task's operation gets."""
    from cloudify.context import CloudifyContext
    ctx = CloudifyContext(cloudify_context)
    try:
        _send_event(ctx, message_context_from_cloudify_context(ctx), event_type, message, args, additional_context,
                    out_func)
    finally:
        ctx.events.close()


def _send_event(ctx, context, event_type, message, args, additional_context, out_func):
    (out_func or manager_event_out)({
        'type': 'cloudify_event', 'timestamp': _now(), 'event_type': event_type,
        'context': dict(context, **(additional_context or {})),
        'message': {'text': '' if message is None else str(message), 'arguments': args}}, ctx)


# ---- where they go


def manager_log_out(log: Dict[str, Any], ctx: Any = None) -> None:
    ctx.events.log(log['level'], log['message']['text'], log['logger'], log['context'])


def manager_event_out(event: Dict[str, Any], ctx: Any = None) -> None:
    ctx.events.event(event['event_type'], event['message']['text'], event['context'], event['message']['arguments'])


def stdout_log_out(log: Dict[str, Any], ctx: Any = None) -> None:
    _print(log, log['level'].upper())


def stdout_event_out(event: Dict[str, Any], ctx: Any = None) -> None:
    _print(event, 'CFY')


def _print(record: Dict[str, Any], level: str) -> None:
    context = record['context']
    where = '.'.join(str(context[key]) for key in ('node_id', 'operation') if context.get(key))
    print('{0} {1} <{2}> {3}{4}'.format(
        record['timestamp'], level, context.get('deployment_id') or 'local',
        '[{0}] '.format(where) if where else '', record['message']['text']))


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec='milliseconds').replace('+00:00', 'Z')
