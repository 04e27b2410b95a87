import os
import resource

from cloudify.answer import NO_SPACE_EXIT
from tests.operation import OperationCase


class Answer(OperationCase):
    """A limit of the size of files stands for the end of a disk: it needs no root."""

    def limited(self, size, **kwargs):
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
        try:
            return self.start(kwargs)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)

    def answer(self):
        import json
        with open(os.path.join(self.folder, 'output.json')) as source:
            return json.load(source)

    def test_without_room_for_an_answer_nothing_is_run(self):
        done = self.limited(100000, script_source='#!/bin/sh\ntouch {0}/was-run'.format(self.folder))
        self.assertEqual(done.returncode, NO_SPACE_EXIT, done.stdout)
        self.assertEqual([name for name in os.listdir(self.folder) if name in ('was-run', 'output.json')], [])

    def test_a_result_that_is_too_long_for_the_room_is_asked_for_again(self):
        self.limited(2000000, script_source="from cloudify import ctx\nctx.returns('x' * 3000000)")
        payload = self.answer()['payload']
        self.assertEqual(payload['known_exception_type'], 'RecoverableError')
        self.assertIn('no space left on ' + os.path.dirname(self.folder), payload['message'])

    def test_an_error_that_is_too_long_for_the_room_keeps_its_kind(self):
        self.limited(2000000, script_source='''
from cloudify.exceptions import NonRecoverableError
raise NonRecoverableError('begin' + 'x' * 3000000 + 'end', causes=[{'message': 'y' * 3000000}])''')
        payload = self.answer()['payload']
        self.assertEqual(payload['known_exception_type'], 'NonRecoverableError')
        self.assertRegex(payload['message'], r'^beginx+\n\[… \d+ characters are left out.*\]\nx+end$')

    def test_a_script_for_which_there_is_no_room_is_tried_again(self):
        self.manager.files['blueprints/default_tenant/b/s.sh'] = b'#!/bin/sh\n#' + b'x' * 3000000
        self.limited(2000000, script_path='s.sh')
        payload = self.answer()['payload']
        self.assertEqual(payload['known_exception_type'], 'RecoverableError')
        self.assertIn('no space left on ' + self.folder, payload['message'])

    def test_an_answer_leaves_no_room_behind_it(self):
        self.bash('true')
        self.assertLess(os.stat(os.path.join(self.folder, 'output.json')).st_size, 100)
