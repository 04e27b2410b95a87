import os
import unittest

from tests.operation import RUNTIME, OperationCase


class CtxInPython(OperationCase):
    """Every command of docs/reference/operations.md, "The ctx command", `-` and `_` alike."""

    def printed(self, command, **fields):
        output = self.run_operation({'script_source': '#!/bin/bash\nctx returns "$({0} 2>&1)"'.format(command)}, **fields)
        self.assertEqual(output['type'], 'result', output)
        return output['payload']

    def test_plain_values(self):
        cases = [
                ('ctx node id', 'web'), ('ctx node name', 'web'), ('ctx node type', 'test.Node'),
                ('ctx node type-hierarchy', "['cloudify.nodes.Root', 'test.Node']"),
                ('ctx node properties port', '8080'), ('ctx -j node properties nested', '{"list": [1, {"a": "b"}]}'),
                ('ctx node properties nested', "{'list': [1, {'a': 'b'}]}"),
                ('ctx instance id', 'web_1'), ('ctx instance index', '1'),
                ('ctx instance runtime-properties', ''), ('ctx -j instance runtime_properties', '{}'),
                ('ctx operation name', 'cloudify.interfaces.lifecycle.create'),
                ('ctx operation retry-number', ''), ('ctx -j operation retry-number', '0'),
                ('ctx operation max_retries', '3'),
                ('ctx deployment id', 'd'), ('ctx blueprint id', 'b'), ('ctx execution-id', 'e'),
                ('ctx workflow-id', 'install'), ('ctx tenant-name', 'default_tenant'), ('ctx type', 'node-instance'),
                ('ctx plugin', 'script'), ('ctx capabilities get-all', ''),
                ('ctx node properties nested.list[5]', 'RuntimeError: illegal path: nested.list[5]'),
                ('ctx node properties a b c', "RuntimeError: Illegal argument while accessing dict: ['c']"),
                ('ctx nothing', "RuntimeError: nothing cannot be processed in ['nothing']"),
                ('ctx node properties port 1', 'NonRecoverableError: Cannot override read only properties: keep values'
                                               ' in ctx.instance.runtime_properties instead'),
                ('ctx source node id', 'NonRecoverableError: ctx.source does not exist in a node-instance operation,'
                                       ' which has ctx.node, ctx.instance'),
                ('env -u CTX_SOCKET_URL ctx node id', 'Missing CTX_SOCKET_URL environment variable or --socket-url: '
                                                      'ctx only works inside an operation'),
                ('ctx --json-arg-prefix % -j instance runtime-properties keys', '[]')]
        # One operation for all of them: each takes a tenth of a second.
        printed = os.path.join(self.folder, 'printed')
        self.bash(''.join('printf "%s\\0" "$({0} 2>&1)" >> {1}\n'.format(command, printed) for command, _ in cases))
        with open(printed) as texts:
            found = texts.read().split('\0')[:-1]
        self.assertEqual(len(found), len(cases))
        for (command, expected), text in zip(cases, found):
            with self.subTest(command):
                self.assertEqual(text, expected)

    def test_text_survives_the_way_there_and_back(self):
        text = 'ünï "quoted" \\ $HOME \t end'
        self.bash("ctx instance runtime-properties text \"$TEXT\"\n"
                  'ctx instance runtime-properties again "$(ctx instance runtime-properties text)"', TEXT=text)
        self.assertEqual(self.runtime_properties(), {'text': text, 'again': text})

    def test_text_survives_what_scripts_tell_their_own_perl(self):
        text = 'ünï €'
        for unicode in ['SDA', '0', '']:
            with self.subTest(unicode):
                self.bash('export PERL_UNICODE="{0}"\nctx instance runtime-properties text "$TEXT"\n'
                          'ctx instance runtime-properties again "$(ctx instance runtime-properties text)"'.format(unicode),
                          TEXT=text)
                self.assertEqual(self.runtime_properties(), {'text': text, 'again': text})

    def test_many_at_once(self):
        self.bash('for i in $(seq 200); do ctx instance runtime-properties "key$i" "$i" & done; wait')
        self.assertEqual(self.runtime_properties(), {'key{0}'.format(i): str(i) for i in range(1, 201)})

    def test_a_long_argument(self):
        self.bash('ctx instance runtime-properties long "$(head -c 120000 /dev/zero | tr "\\0" x)"')
        self.assertEqual(self.runtime_properties(), {'long': 'x' * 120000})

    def test_bytes_that_are_no_text(self):
        self.bash(r"""ctx instance runtime-properties odd "$(printf 'a\xffb\x01\x7f"\\\\')" """)
        self.assertEqual(self.runtime_properties(), {'odd': 'a\ufffdb\x01\x7f"\\\\'})

    def test_logs_and_events(self):
        self.bash('ctx logger info hello\nctx logger warning careful\nctx send-event happened')
        self.assertIn(('warning', 'careful'), [(log['level'], log['message']['text']) for log in self.manager.logs])
        event = self.manager.events[0]
        self.assertEqual((event['event_type'], event['message']['text']), ('plugin_event', 'happened'))

    def test_files(self):
        self.manager.files['blueprints/default_tenant/b/page.html'] = \
            b'{{ ctx.node.properties.port }} {{ name }} {# gone #}\n'
        place = self.folder + '/page'
        self.bash("ctx download-resource page.html {0}\n"
                  "p=$(ctx download-resource-and-render page.html @'{{\"template_variables\": {{\"name\": \"x\"}}}}')\n"
                  "[ $(basename $p) = page.html ]; mv $p {0}.rendered; rmdir $(dirname $p)\n"
                  "ctx instance runtime-properties raw \"$(ctx get-resource page.html)\"".format(place))
        with open(place) as raw, open(place + '.rendered') as rendered:
            self.assertEqual(rendered.read(), '8080 x ')
            self.assertEqual(raw.read().strip(), self.runtime_properties()['raw'])

    def test_update_and_refresh(self):
        self.bash('ctx instance runtime-properties a 1\nctx instance update\n'
                  'ctx instance runtime-properties b 2\n'
                  'ctx instance refresh 2>/dev/null && exit 9\n'
                  "ctx instance refresh @'{\"force\": true}'\n"
                  'ctx returns @"$(ctx -j instance runtime-properties)" @{}')
        self.assertEqual(self.runtime_properties(), {'a': '1'})

    def test_relationship_sides(self):
        self.manager.add('db_1', 'db', runtime_properties={'port': 5432})
        fields = {'related': {'node_id': 'db_1', 'node_name': 'db', 'is_target': True}}
        self.assertEqual(self.printed('ctx target instance runtime-properties port', **fields), '5432')
        self.assertEqual(self.printed('ctx source node id', **fields), 'web')
        self.assertEqual(self.printed('ctx type', **fields), 'relationship-instance')
        self.run_operation({'script_source': '#!/bin/sh\nctx source instance runtime-properties s 1\n'
                                             'ctx target instance runtime-properties t 2'}, **fields)
        self.assertEqual(self.runtime_properties(), {'s': '1'})
        self.assertEqual(self.runtime_properties('db_1'), {'port': 5432, 't': '2'})

    def test_host_ip(self):
        self.manager.add('host_1', 'host', {'ip': '10.0.0.1'})
        self.manager.instances['web_1']['host_id'] = 'host_1'
        self.assertEqual(self.printed('ctx instance host-ip'), '10.0.0.1')
        self.manager.instances['host_1']['runtime_properties'] = {'ip': '10.0.0.2'}
        self.assertEqual(self.printed('ctx instance host_ip'), '10.0.0.2')

    def test_what_is_no_argument(self):
        self.assertTrue(self.printed("ctx returns @'{broken'").startswith('ctx: @{broken is not JSON after @: '))
        self.assertTrue(self.printed('ctx -t soon').startswith('usage: ctx [-t SECONDS]'))

    def test_exit_codes_and_streams(self):
        self.assertEqual(self.printed('ctx node properties none 2>/dev/null; echo $?'), '1')
        self.assertEqual(self.printed('ctx node id 2>/dev/null >/dev/null; echo $?'), '0')
        self.assertEqual(self.printed('CTX_SOCKET_URL=unix:///nowhere ctx node id 2>/dev/null; echo $?'), '1')

    def test_bytes_that_are_no_text_and_what_is_long(self):
        self.bash("ctx instance runtime-properties raw \"$(printf 'a\\377b')\"\n"
                  'head -c 100000 /dev/zero | tr \'\\0\' x > "$TMPDIR/long"\n'
                  'ctx instance runtime-properties long "$(cat "$TMPDIR/long")"\n'
                  '[ "$(ctx instance runtime-properties long | wc -c)" = 100000 ]', TMPDIR=self.folder)
        self.assertEqual(self.runtime_properties()['raw'], 'a\ufffdb')
        self.assertEqual(len(self.runtime_properties()['long']), 100000)


@unittest.skipUnless(os.path.exists('/usr/bin/perl'), 'there is no Perl')
class CtxInPerl(CtxInPython):
    """The same, of the command that scripts find first."""

    def start(self, kwargs=None, environment=None, **fields):
        path = os.pathsep.join([os.path.join(RUNTIME, 'bin', 'perl'), os.path.join(RUNTIME, 'bin'), os.environ['PATH']])
        return super().start(kwargs, dict(environment or {}, PATH=path), **fields)
