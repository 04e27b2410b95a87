"""An event or a log line as GET /events answers it, for who prints it."""
from typing import Any, Dict, Optional


class Event:
    def __init__(self, event: Dict[str, Any], verbosity_level: Any = None) -> None:
        self._event = event
        self._verbosity_level = verbosity_level

    def __str__(self) -> str:
        where = ' '.join(str(part) for part in (self.deployment_id and '<{0}>'.format(self.deployment_id),
                                                self._operation_info) if part)
        return '{0} {1} {2} {3}'.format(self.timestamp, self.level or self.event_type_indicator, where, self.text)

    @property
    def is_log_message(self) -> bool:
        return 'cloudify_log' in str(self._event.get('type'))

    @property
    def event_type_indicator(self) -> str:
        return 'LOG' if self.is_log_message else 'CFY'

    @property
    def event_type(self) -> Optional[str]:
        return self._event.get('event_type')

    @property
    def has_output(self) -> bool:
        return bool(self.text)

    @property
    def text(self) -> str:
        message = self._event.get('message') or ''
        return message.get('text', '') if isinstance(message, dict) else message

    @property
    def level(self) -> str:
        return str(self._event.get('level') or '').upper()

    @property
    def timestamp(self) -> str:
        return str(self._event.get('reported_timestamp') or self._event.get('timestamp') or '')

    @property
    def deployment_id(self) -> Optional[str]:
        return self._field('deployment_id')

    @property
    def operation(self) -> Optional[str]:
        found = self._field('operation')
        return found.rpartition('.')[2] if found else None

    @property
    def node_id(self) -> Optional[str]:
        return self._field('node_instance_id') or self._field('node_id')

    @property
    def source_id(self) -> Optional[str]:
        return self._field('source_id')

    @property
    def target_id(self) -> Optional[str]:
        return self._field('target_id')

    @property
    def _operation_info(self) -> str:
        node = self.node_id
        if self.source_id:
            node = '{0}->{1}'.format(self.source_id, self.target_id)
        parts = [part for part in (node, self.operation) if part]
        return '[{0}]'.format('.'.join(parts)) if parts else ''

    def _field(self, name: str) -> Optional[str]:
        return self._event.get(name) or (self._event.get('context') or {}).get(name)
