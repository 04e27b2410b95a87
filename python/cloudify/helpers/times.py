"""Times as schedules and filters spell them."""
import re
from datetime import datetime, timedelta, timezone as zones
from typing import Optional

from cloudify.exceptions import NonRecoverableError

_RELATIVE = re.compile(r'([+-]?)\s*(\d+)\s*(years?|y|months?|mo|weeks?|w|days?|d|hours?|h|minutes?|min|m|seconds?|sec|s)'
                       r'(?![a-z])', re.IGNORECASE)
_FORMATS = ('%Y-%m-%d %H:%M:%S', '%Y-%m-%d %H:%M', '%Y-%m-%dT%H:%M:%S', '%Y-%m-%dT%H:%M', '%Y-%m-%d', '%H:%M')


def parse_utc_datetime(date_expression: Optional[str], timezone: Optional[str] = None) -> Optional[datetime]:
    """`+2h 30min`, `2026-11-22 10:00` (in `timezone`, else UTC) → that time in UTC, without a zone of its own."""
    if not date_expression:
        return None
    text = date_expression.strip()
    if text.startswith(('+', '-')) and _RELATIVE.match(text):
        return parse_utc_datetime_relative(text)
    return _absolute(text, timezone)


def parse_utc_datetime_relative(time_expression: Optional[str], base_datetime: Optional[datetime] = None
                                ) -> Optional[datetime]:
    """`+2 hours`, `-1 day` after or before `base_datetime`, which is else now."""
    if not time_expression:
        return None
    base = base_datetime or datetime.now(zones.utc).replace(tzinfo=None, microsecond=0, second=0)
    rest = _RELATIVE.sub('', time_expression).strip()
    found = list(_RELATIVE.finditer(time_expression))
    if rest or not found:
        raise NonRecoverableError('Not a length of time: "{0}" (expected for example +2h or +1 day 30 min)'.format(
            time_expression))
    sign = 1
    for part in found:
        sign = {'+': 1, '-': -1}.get(part.group(1), sign)
        base = _moved(base, sign * int(part.group(2)), part.group(3).lower())
    return base


def parse_schedule_datetime_string(date_expression: Optional[str]) -> Optional[datetime]:
    """Of a stored schedule: with milliseconds and Z, as the REST service answers it."""
    if not date_expression:
        return None
    return datetime.strptime(date_expression, '%Y-%m-%dT%H:%M:%S.%fZ')


def _absolute(text, timezone):
    for pattern in _FORMATS:
        try:
            naive = datetime.strptime(text, pattern)
        except ValueError:
            continue
        if pattern == '%H:%M':
            today = datetime.now(zones.utc)
            naive = naive.replace(year=today.year, month=today.month, day=today.day)
        if not timezone:
            return naive
        try:
            from zoneinfo import ZoneInfo  # Python ≥ 3.9
            zone = ZoneInfo(timezone)
        except ImportError:
            from pytz import timezone as named  # type: ignore[import]  # what older ones have for it
            return named(timezone).localize(naive).astimezone(zones.utc).replace(tzinfo=None)
        return naive.replace(tzinfo=zone).astimezone(zones.utc).replace(tzinfo=None)
    raise NonRecoverableError('Not a time: "{0}" (expected for example 2026-11-22 10:00 or +2h)'.format(text))


def _moved(base, count, unit):
    if unit.startswith(('y', 'mo')):
        months = base.year * 12 + base.month - 1 + count * (12 if unit.startswith('y') else 1)
        year, month = divmod(months, 12)
        day = base.day
        while True:
            try:
                return base.replace(year=year, month=month + 1, day=day)
            except ValueError:
                day -= 1  # the 31st of a month with 30 days is its last
    name = {'w': 'weeks', 'd': 'days', 'h': 'hours', 'm': 'minutes', 's': 'seconds'}[unit[0]]
    return base + timedelta(**{name: count})
