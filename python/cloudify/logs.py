"""Logs and events of an operation on their way to the manager: POST /events in batches from a background thread."""
import os
import queue
import sys
import threading
from datetime import datetime, timezone

BATCH_PAUSE_S = 0.1  # how long the first record of a batch waits for company
BATCH_LIMIT = 500
QUEUE_LIMIT = 5000  # a script that prints faster than the manager stores waits here instead of filling memory


class EventSink:
    """Nothing handed to it is lost: close() returns once all is stored, or written to standard error if refused."""

    def __init__(self, connect, envelope):
        self._connect = connect
        self._envelope = envelope
        self._records = queue.Queue(QUEUE_LIMIT)
        self._hurry = threading.Event()
        self._thread = None
        self._starting = threading.Lock()

    def log(self, level, text, logger, context):
        self._put('logs', {'level': level, 'logger': logger, 'message': {'text': text}, 'context': context})

    def event(self, event_type, text, context):
        self._put('events', {'event_type': event_type, 'message': {'text': text}, 'context': context,
                             'operation': context.get('operation')})

    def flush(self):
        """Returns once everything handed over so far is stored."""
        if self._thread is not None:
            self._hurry.set()
            self._records.join()
            self._hurry.clear()

    def close(self):
        if self._thread is not None:
            self._hurry.set()
            self._records.put(None)
            self._thread.join()
            self._thread = None
            self._hurry.clear()

    def _put(self, kind, record):
        record['timestamp'] = datetime.now(timezone.utc).isoformat(timespec='milliseconds').replace('+00:00', 'Z')
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._send_all, name='events', daemon=True)
                self._thread.start()
        self._records.put((kind, record))

    def _send_all(self):
        connection = self._connect()  # while the script is still starting: imports and connects ahead of need
        ended = False
        while not ended:
            batch = [self._records.get()]
            if batch[0] is not None:
                self._hurry.wait(BATCH_PAUSE_S)
            while batch[-1] is not None and len(batch) < BATCH_LIMIT and not self._records.empty():
                batch.append(self._records.get())
            ended = batch[-1] is None
            self._send([record for record in batch if record is not None], connection)
            for _ in batch:
                self._records.task_done()

    def _send(self, batch, connection):
        if not batch:
            return
        # the request is repeated when its answer gets lost: by the id the manager knows what it has stored already
        body = dict(self._envelope, events=[], logs=[], batch_id=os.urandom(16).hex())
        for kind, record in batch:
            body[kind].append(record)
        try:
            status, answer = connection.request('POST', '/events', body=body)
            if status >= 300:
                raise ConnectionError('{0} {1}'.format(status, answer.decode('utf-8', 'replace')[:500]))
        except Exception as error:  # the operation goes on: its worker keeps standard error in the log file
            print('The manager did not store {0} log records: {1}'.format(len(batch), error), file=sys.stderr)
            for _, record in batch:
                print('{0} {1}'.format(record['timestamp'], record['message']['text']), file=sys.stderr)


def make_logger(name, sink, context):
    """A logging.Logger whose records go to the manager."""
    import logging

    class Handler(logging.Handler):
        def emit(self, record):
            try:
                text = self.format(record)
            except Exception:
                self.handleError(record)
                return
            sink.log(record.levelname.lower(), text, record.name, context)

    logger = logging.Logger(name, logging.DEBUG)  # outside the logging tree: root handlers do not see it twice
    handler = Handler()
    handler.setFormatter(logging.Formatter('%(message)s'))
    logger.addHandler(handler)
    return logger
