"""Logs and events of an operation on their way to the manager: by its worker, as far as there is room beside the
answer, else by POST /events in batches from a background thread."""
import json
import os
import sys
import threading
from collections import deque
from datetime import datetime, timezone

BATCH_PAUSE_S = 0.1  # how long the first record of a batch waits for company
BATCH_RECORDS = 500
BATCH_BYTES = 512 * 1024  # as JSON; half of what the strictest of proxies lets through
RECORD_BYTES = 512 * 1024  # the text of a longer record is cut
WAITING_BYTES = 16 * 1024 * 1024  # a script that prints faster than the manager stores waits here, not in memory
LEAST_CUT = 256  # characters; a manager that refuses even this has another reason


class EventSink:
    """Nothing handed to it is lost unseen: close() returns once all is stored, or written to standard error if refused.
    What is too long to be stored is cut, and says so. `say(line)` gives a line to the worker, if it can."""

    def __init__(self, connect, envelope, say=None):
        self._connect = connect
        self._say = say
        self._connection = None
        self._envelope = envelope
        self._process = os.getpid()
        self._waiting = deque()
        self._waiting_bytes = 0
        self._unsent = 0  # records: those that wait and those that are being sent
        self._hurry = False
        self._closing = False
        self._changed = threading.Condition()
        self._thread = None

    def log(self, level, text, logger, context):
        self._put('logs', {'level': level, 'logger': logger, 'message': {'text': text}, 'context': context})

    def event(self, event_type, text, context, arguments=None):
        message = {'text': text} if arguments is None else {'text': text, 'arguments': arguments}
        self._put('events', {'event_type': event_type, 'message': message, 'context': context,
                             'operation': context.get('operation')})

    def flush(self):
        """Returns once everything handed over so far is stored."""
        if self._is_forked():
            return
        with self._changed:
            self._hurry = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._unsent == 0)
            self._hurry = False

    def close(self):
        if self._is_forked():
            return
        self.flush()
        with self._changed:
            thread, self._thread = self._thread, None
            self._closing = True
            self._changed.notify_all()
        if thread is not None:
            thread.join()
        self._closing = False

    def _put(self, kind, record):
        record['timestamp'] = datetime.now(timezone.utc).isoformat(timespec='milliseconds').replace('+00:00', 'Z')
        entry = Entry(kind, record)
        if self._is_forked():
            self._send([entry])
            return
        # Once there is no room, the order is kept.
        if self._say is not None and self._say('["{0}", {1}]'.format(kind, entry.text)):
            return
        self._say = None
        with self._changed:
            if self._thread is None:
                # Imports here and not in the thread: a process that forks meanwhile would wait for them for ever.
                try:
                    self._connected()
                except Exception:
                    pass  # the thread tries again, and says it then
                self._thread = threading.Thread(target=self._send_all, name='events', daemon=True)
                self._thread.start()
            self._changed.wait_for(lambda: self._waiting_bytes < WAITING_BYTES)
            self._waiting.append(entry)
            self._waiting_bytes += len(entry.text)
            self._unsent += 1
            if len(self._waiting) == 1 or self._is_batch():
                self._changed.notify_all()

    def _send_all(self):
        try:
            self._connected().open_now()  # while the script is still starting
        except Exception:
            pass  # it is tried again with the first batch, and said then
        while True:
            batch = self._next_batch()
            if not batch:
                return
            self._send(batch)
            with self._changed:
                self._unsent -= len(batch)
                self._changed.notify_all()

    def _next_batch(self):
        """Nothing when there will be no more."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closing)
            self._changed.wait_for(lambda: self._hurry or self._closing or self._is_batch(), BATCH_PAUSE_S)
            batch = []
            length = 0
            while self._waiting and len(batch) < BATCH_RECORDS:
                length += len(self._waiting[0].text)
                if batch and length > BATCH_BYTES:
                    break
                batch.append(self._waiting.popleft())
                self._waiting_bytes -= len(batch[-1].text)
            self._changed.notify_all()
            return batch

    def _is_forked(self):
        """In a process that the operation forked there is no thread, nobody closes this before the end, and the locks are
        as they happened to be: so records are sent one by one, without them."""
        return self._process != os.getpid()

    def _is_batch(self):
        return len(self._waiting) >= BATCH_RECORDS or self._waiting_bytes >= BATCH_BYTES

    def _connected(self):
        if self._connection is None:
            self._connection = self._connect()
        return self._connection

    def _send(self, batch):
        """One record that the manager refuses, for its length or for anything else, takes no other with it."""
        pending = [batch]
        while pending:
            part = pending.pop()
            try:
                status, answer = self._connected().request('POST', '/events', body=self._body(part))
            except Exception as error:
                _say(part, error)
                continue
            if status < 300:
                continue
            if status in (400, 413, 422) and len(part) > 1:
                middle = len(part) // 2
                pending += [part[middle:], part[:middle]]
            elif (status == 413 or b'larger than' in answer) and part[0].cut(len(part[0].text) // 2):
                pending.append(part)
            else:
                _say(part, '{0} {1}'.format(status, answer.decode('utf-8', 'replace')[:500]))

    def _body(self, entries):
        parts = ['"{0}": [{1}]'.format(kind, ', '.join(entry.text for entry in entries if entry.kind == kind))
                 for kind in ('events', 'logs')]
        # the request is repeated when its answer gets lost: by the id the manager knows what it has stored already
        head = dict(self._envelope, batch_id=os.urandom(16).hex())
        return (json.dumps(head)[:-1] + ', ' + ', '.join(parts) + '}').encode()


class Entry:
    """A record and its JSON."""

    def __init__(self, kind, record):
        self.kind = kind
        self.record = record
        self._whole = record['message']['text']
        self.text = _json(record)
        if len(self.text) > RECORD_BYTES:
            self.cut(RECORD_BYTES)

    def cut(self, length):
        """Makes its JSON no longer than that; False when there is nothing left to cut."""
        kept = len(self.record['message']['text'])
        while len(self.text) > length:
            kept = min(kept - 1, kept * length // len(self.text))
            if kept < LEAST_CUT:
                return False
            self.record['message'] = {'text': '{0} [… {1} of {2} characters were cut]'.format(
                self._whole[:kept], len(self._whole) - kept, len(self._whole))}
            self.text = _json(self.record)
        return True


def _json(record):
    """Anything may be an argument of an event. What JSON does not have is shown as Python does."""
    try:
        return json.dumps(record, allow_nan=False)
    except (TypeError, ValueError):
        return json.dumps(json.loads(json.dumps(record, default=repr), parse_constant=str))


def _say(entries, reason):
    """The operation goes on: its worker keeps standard error in the log file."""
    try:
        print('The manager did not store {0} log records: {1}'.format(len(entries), reason), file=sys.stderr)
        for entry in entries:
            print('{0} {1}'.format(entry.record['timestamp'], entry.record['message']['text']), file=sys.stderr)
    except (OSError, ValueError):
        pass  # a full disk, or a script that closed it; whoever waits for us must not wait for ever
