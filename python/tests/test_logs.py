import os
import subprocess
import sys

from tests.operation import OperationCase

LINES = r'''#!/usr/bin/env python3
import sys
for number in range({0}):
    print(str(number).zfill(4), '{1}' * {2})
'''


class Logs(OperationCase):
    def said(self):
        return [text[len('<out> '):] for text in self.manager.texts() if text.startswith('<out> ')]

    def lines(self, count, character, length):
        output = self.run_operation({'script_source': LINES.format(count, character, length),
                                     'process': {'eval_python': False}})
        self.assertEqual(output['type'], 'result', output)
        return ['{0:04d} {1}'.format(number, character * length) for number in range(count)]

    def test_many_long_lines_are_stored_whole(self):
        self.assertEqual(self.lines(600, 'x', 40000), self.said())

    def test_many_long_lines_that_json_makes_longer_are_stored_whole(self):
        self.assertEqual(self.lines(200, '\\u00fc', 20000)[0][:5], '0000 ')
        self.assertEqual(self.said(), ['{0:04d} {1}'.format(number, 'ü' * 20000) for number in range(200)])

    def test_a_line_without_end_is_stored_in_pieces(self):
        self.bash("python3 -c \"print('ü' * 500000, end='')\"; printf '\\n\\nend'")
        self.assertEqual(''.join(self.said()), 'ü' * 500000 + 'end')
        self.assertIn('', self.said())

    def test_a_record_that_is_too_long_is_cut_and_says_so(self):
        self.python("from cloudify import ctx\nctx.logger.info('x' * 3000000)\nctx.logger.info('short')")
        long, short = self.manager.texts()
        self.assertRegex(long, r'^x{400000,} \[… \d+ of 3000000 characters were cut\]$')
        self.assertEqual(short, 'short')

    def test_a_manager_that_takes_less_gets_less(self):
        self.manager.body_limit = 10000
        self.lines(50, 'x', 1000)
        self.assertEqual([line[:4] for line in self.said()], ['{0:04d}'.format(number) for number in range(50)])
        self.assertEqual({len(line) for line in self.said()}, {1005})
        self.manager.logs = []
        self.lines(2, 'x', 40000)
        for line in self.said():
            self.assertRegex(line, r'^\d{4} x{2000,} \[… \d+ of \d+ characters were cut\]$')
        self.assertEqual(len(self.said()), 2)

    def test_what_is_refused_takes_nothing_else_with_it(self):
        self.manager.refused = 'poison'
        done = self.start({'script_source': '#!/bin/bash\nseq 1 50; echo poison; seq 51 100'})
        self.assertEqual(self.said(), [str(number) for number in range(1, 101)])
        self.assertIn('The manager did not store 1 log records: 400', done.stdout)
        self.assertIn('<out> poison', done.stdout)

    def test_an_operation_ends_although_nothing_can_be_said_of_what_was_refused(self):
        self.manager.refused = 'poison'
        self.assertEqual(self.python(
            "import os\nfrom cloudify import ctx\nctx.logger.info('poison')\nfor file in (1, 2): os.close(file)\n"
            "ctx.returns('ended')"), 'ended')

    def test_a_sink_that_cannot_connect_ends_and_says_what_it_had(self):
        done = subprocess.run([sys.executable, '-c', '''
from cloudify.event_sink import EventSink
def connect(): raise RuntimeError('no way')
sink = EventSink(connect, {'execution_id': 'e'})
for number in range(3): sink.log('info', 'line %s' % number, 'l', {})
sink.close()'''], stderr=subprocess.PIPE, universal_newlines=True, timeout=60,
            cwd=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
        self.assertIn('no way', done.stderr)
        self.assertIn('line 2', done.stderr)
