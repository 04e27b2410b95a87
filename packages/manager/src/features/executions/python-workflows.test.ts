import { afterAll, beforeAll, expect, test } from 'vitest'
import { blueprintArchive, blueprintText } from '../../../test/archives.ts'
import { startTestSystem, type TestSystem } from '../../../test/test-system.ts'

let system: TestSystem

const lifecycle = (operations: Readonly<Record<string, unknown>>) => ({
  interfaces: { 'cloudify.interfaces.lifecycle': operations },
})
const inline = (text: string) => ({
  implementation: text,
  executor: 'central_deployment_agent',
  retry_interval: 0,
})

/** Two nodes, of which one waits for the other; what they do is seen in runtime properties. */
const nodes = {
  db: {
    type: 'cloudify.nodes.Root',
    ...lifecycle({
      create: inline('from cloudify import ctx\nctx.instance.runtime_properties["made"] = True\n'),
      start: inline('from cloudify import ctx\nctx.returns("value of " + ctx.instance.id)\n'),
      stop: inline(
        'from cloudify import ctx\nfrom cloudify.exceptions import NonRecoverableError\nraise NonRecoverableError("no way")\n',
      ),
      configure: inline(
        'from cloudify import ctx\nif ctx.operation.retry_number < 2:\n    raise Exception("not yet")\n',
      ),
    }),
  },
  web: {
    type: 'cloudify.nodes.Root',
    relationships: [{ type: 'cloudify.relationships.depends_on', target: 'db' }],
  },
}

beforeAll(async () => {
  system = await startTestSystem()
})
afterAll(() => system.close())

let next = 0

/** The execution of a script as a workflow, once it has ended, and its events. */
async function ran(script: string, start: Readonly<Record<string, unknown>> = {}) {
  const id = `py${next++}`
  const workflows = { mine: { mapping: 'flow.py', parameters: { given: { default: 'x' } } } }
  await system.upload(
    id,
    blueprintArchive(blueprintText({ node_templates: nodes, workflows }), { 'flow.py': script }),
  )
  await system.deploy(id, id)
  const execution = await system.ended(await system.start(id, 'mine', start))
  return { id, execution, ...(await told(execution.id)) }
}

async function told(executionId: string) {
  const { items } = (
    await system.inject(
      'GET',
      `/events?execution_id=${executionId}&include_logs=true&_sort=reported_timestamp&_size=500`,
    )
  ).body
  const lines = items.map((one: { event_type?: string; message: string; type: string }) =>
    one.event_type ? `${one.event_type} ${one.message}` : `log ${one.message}`,
  )
  return { lines: lines as string[] }
}

test('a script is a workflow, one task after another', async () => {
  const { execution, lines, id } = await ran(
    `
from cloudify.workflows import ctx, parameters
ctx.logger.info('given ' + parameters['given'])
ctx.send_event('begins')
for instance in ctx.node_instances:
    if instance.node_id == 'db':
        instance.set_state('creating').get()
        instance.execute_operation('cloudify.interfaces.lifecycle.create').get()
        value = instance.execute_operation('cloudify.interfaces.lifecycle.start').get()
        ctx.send_event('got ' + value)
        instance.send_event('a node event')
        ctx.send_event('state ' + instance.get_state().get())
        instance.execute_operation('cloudify.interfaces.lifecycle.configure').get()
ctx.send_event('sum %s' % ctx.local_task(lambda a: a + 1, kwargs={'a': 1}).get())
`,
    { parameters: { given: 'y' } },
  )
  expect(execution, execution.error).toMatchObject({ status: 'terminated', error: '' })
  const { items } = (await system.inject('GET', `/node-instances?deployment_id=${id}&node_id=db`)).body
  expect(items[0]).toMatchObject({ state: 'creating', runtime_properties: { made: true } })
  expect(lines).toEqual(
    expect.arrayContaining([
      'log given y',
      'workflow_stage begins',
      `workflow_stage got value of ${items[0].id}`,
      'workflow_node_event a node event',
      'workflow_stage state creating',
      'workflow_stage sum 2',
      "task_succeeded Task succeeded 'script_runner.tasks.run' [retry 2/60]",
      "workflow_succeeded 'mine' workflow execution succeeded",
    ]),
  )
})

const graph = `
from cloudify.workflows import ctx
from cloudify.workflows.tasks import HandlerResult
from cloudify.workflows.tasks_graph import forkjoin
graph = ctx.graph_mode()
db = next(one for one in ctx.node_instances if one.node_id == 'db')
LIFECYCLE = 'cloudify.interfaces.lifecycle.'
`

test('a graph of a script: order, subgraphs, results and handlers', async () => {
  const { execution, lines } = await ran(`${graph}
seen = []
def note(name):
    return ctx.local_task(lambda: seen.append(name), name=name)
subgraph = graph.subgraph('part')
inner = subgraph.sequence()
inner.add(note('a'), forkjoin(note('b'), note('c')), note('d'))
last = note('e')
graph.add_task(last)
graph.add_dependency(last, subgraph)

asked = []
def answer(task):
    asked.append((task.get_state(), str(task.error), task.current_retries))
    return HandlerResult.ignore()
fails = db.execute_operation(LIFECYCLE + 'stop')
fails.on_failure = answer
graph.add_task(fails)

def until(task):
    asked.append(task.async_result.result)
    return HandlerResult.cont() if len(asked) > 3 else HandlerResult.retry(ignore_total_retries=True, retry_after=0)
again = ctx.local_task(lambda: 'told', name='again', total_retries=0)
again.on_success = until
graph.add_task(again)
graph.add_dependency(again, fails)
started = db.execute_operation(LIFECYCLE + 'start')
graph.add_task(started)

graph.execute()
ctx.internal.send_workflow_event('workflow_stage', 'order %s %s' % (seen[0] + ''.join(sorted(seen[1:3])) + seen[3], seen[4]))
ctx.internal.send_workflow_event('workflow_stage', 'asked %s' % asked)
ctx.internal.send_workflow_event('workflow_stage', 'result %s' % started.async_result.get())
more = ctx.local_task(lambda: seen.append('more'), name='more')
graph.add_task(more)
graph.execute()
ctx.internal.send_workflow_event('workflow_stage', 'last %s of %d' % (seen[-1], len(graph.tasks)))
`)
  expect(execution, execution.error).toMatchObject({ status: 'terminated', error: '' })
  expect(lines).toEqual(
    expect.arrayContaining([
      'workflow_stage order abcd e',
      "workflow_stage asked [('failed', 'no way', 0), 'told', 'told', 'told']",
      expect.stringMatching(/^workflow_stage result value of db_/),
      'workflow_stage last more of 0',
      "task_succeeded Subgraph succeeded 'part'",
      "task_failed Task failed 'script_runner.tasks.run' -> no way",
    ]),
  )
  const { items } = (await system.inject('GET', `/tasks_graphs?execution_id=${execution.id}`)).body
  expect(items.map(({ name }: { name: string }) => name).sort()).toEqual(['graph-1', 'graph-2'])
})

test.each([
  [
    'an operation that fails',
    `graph.add_task(db.execute_operation(LIFECYCLE + 'stop'))\ngraph.execute()`,
    /^Task failed: script_runner.tasks.run \(db_\w+:cloudify.interfaces.lifecycle.stop\): NonRecoverableError `no way`/,
  ],
  [
    'a handler that raises',
    `
def broken(task):
    raise KeyError('handler')
task = db.execute_operation(LIFECYCLE + 'stop')
task.on_failure = broken
graph.add_task(task)
graph.execute()`,
    /Task failed: script_runner.tasks.run/,
  ],
  [
    'a circle',
    `
first, second = ctx.local_task(lambda: 1, name='one'), ctx.local_task(lambda: 1, name='two')
graph.add_task(first)
graph.add_task(second)
graph.add_dependency(first, second)
graph.add_dependency(second, first)
graph.execute()`,
    /Tasks wait for each other in a circle: (one|two)/,
  ],
  [
    'an instance of another deployment',
    `
from cloudify.workflows.tasks import SetNodeInstanceStateTask
graph.add_task(SetNodeInstanceStateTask(ctx, 'other_1', 'started'))
graph.execute()`,
    /Node instance "other_1" does not exist in this deployment/,
  ],
  [
    'what is no JSON',
    `
task = db.execute_operation(LIFECYCLE + 'stop', kwargs={'x': {1, 2}})
graph.add_task(task)
graph.execute()`,
    /has to be JSON/,
  ],
  ['what is raised', `raise ValueError('mine')`, /Traceback.*ValueError: mine/s],
  ['what exits', `import os\nos._exit(3)`, /Unhandled exception occurred in operation dispatch \(rc=3\)/],
])('%s fails the workflow with a reason', async (what, script, error) => {
  const { execution, lines } = await ran(`${graph}${script}\n`)
  expect(execution).toMatchObject({ status: 'failed', error: expect.stringMatching(error) })
  if (what === 'a handler that raises')
    expect(lines.join('\n')).toMatch(/log The handler of .*KeyError: 'handler'/s)
})

test('the lifecycle of instances is built and run by the engine', async () => {
  const { execution, lines, id } = await ran(`${graph}
from cloudify.plugins import lifecycle, workflows
instances = set(ctx.node_instances)
lifecycle.install_node_instances(graph, {one for one in instances if one.node_id == 'web'}, instances)
ctx.internal.send_workflow_event('workflow_stage', 'states %s' % sorted((one.node_id, one.state) for one in instances))
workflows.execute_operation(ctx, LIFECYCLE + 'create', {}, True, False, [], ['db'])
lifecycle.install_node_instances(graph, instances)
`)
  expect(execution, execution.error).toMatchObject({ status: 'terminated', error: '' })
  expect(lines).toEqual(
    expect.arrayContaining([
      'workflow_node_event Node instance started (nothing to do)',
      "workflow_stage states [('db', 'uninitialized'), ('web', 'started')]",
      'workflow_node_event Starting operation cloudify.interfaces.lifecycle.create',
    ]),
  )
  const instances = (await system.inject('GET', `/node-instances?deployment_id=${id}`)).body.items
  expect(instances.map(({ state }: { state: string }) => state)).toEqual(['started', 'started'])
  const { items } = (await system.inject('GET', `/tasks_graphs?execution_id=${execution.id}`)).body
  expect(items.map(({ name }: { name: string }) => name).sort()).toEqual([
    'execute_operation_cloudify.interfaces.lifecycle.create',
    'install',
    'install-2',
  ])
})

test('a dry run says what would be done and does nothing', async () => {
  const { execution, lines, id } = await ran(
    `${graph}
def never():
    raise Exception('it was called')
sequence = graph.sequence()
sequence.add(db.set_state('x'), db.execute_operation(LIFECYCLE + 'create'), ctx.local_task(never, name='never'))
graph.execute()
`,
    { dry_run: true },
  )
  expect(execution, execution.error).toMatchObject({ status: 'terminated', error: '' })
  expect(lines).toContain("task_succeeded Task succeeded 'script_runner.tasks.run' (dry run)")
  const { items } = (await system.inject('GET', `/node-instances?deployment_id=${id}&node_id=db`)).body
  expect(items[0]).toMatchObject({ state: 'uninitialized', runtime_properties: {} })
})

test('what nobody of the workflow does any more keeps it from no end', async () => {
  const exits = await ran(`${graph}
import os
task = ctx.local_task(lambda: os._exit(3), name='exits')
graph.add_task(task)
graph.execute()
`)
  expect(exits.execution).toMatchObject({ status: 'failed', error: expect.stringContaining('rc=3') })
  // It answers, and is gone before its task is.
  const left = await ran(`
import time
from cloudify.workflows import ctx
ctx.internal.run_local = lambda function: None
ctx.local_task(lambda: None, name='left')
`)
  expect(left.execution).toMatchObject({ status: 'terminated', error: '' })
})

const said = (bytes: string) => `
import time
ctx.internal.engine._channel._socket.sendall(${bytes})
time.sleep(600)
`

/** Asks with what makes the worker fail, on its own and not in its turn. */
const unstorable = `
graph._ctx = ctx
ctx.internal.engine._build({'do': 'lifecycle', 'lifecycle': 'install', 'name': 'a\\0b', 'ignore_failure': False,
                            'instances': [], 'related': []})
`

test.each([
  ['what is no message', said("b'garbage\\n'"), /said what is no message/],
  ['a line without an end', said("b'x' * (18 << 20)"), /a line without an end/],
  [
    'more tasks than a graph has',
    said(`b'{"do": "tasks", "tasks": [' + b'0, ' * 200000 + b'0]}\\n'`),
    /A graph may have 200000 tasks/,
  ],
  ['a name that cannot be stored', unstorable, /./],
  [
    "another execution's graph",
    "graph.id = 'foreign'\ngraph.execute()\n",
    /The execution has no graph foreign/,
  ],
  [
    'a task that another execution has',
    "task = ctx.local_task(lambda: 1, task_id='no id!', name='x')\ngraph.add_task(task)\ngraph.execute()\n",
    /The id of a task must be/,
  ],
])('a process that says %s harms its execution alone', async (_, script, error) => {
  const { execution } = await ran(`${graph}${script}`)
  expect(execution).toMatchObject({ status: 'failed', error: expect.stringMatching(error) })
})

test('a workflow that prints 100 MB is as good as any other', async () => {
  const { execution } = await ran(`
import os
for _ in range(100):
    os.write(1, b'x' * (1 << 20))
`)
  expect(execution, execution.error).toMatchObject({ status: 'terminated', error: '' })
})
