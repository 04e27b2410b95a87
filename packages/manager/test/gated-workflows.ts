import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { blueprintArchive, blueprintText } from './archives.ts'
import { callScript } from './gate.ts'

/**
 * A folder with workflows in Python that come by at the gate, each with `resumable` and, under `once_NAME`, without. What
 * workers have installed they find on their path.
 */
export async function gatedWorkflows(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tutti-workflows-'))
  await writeFile(join(folder, 'gated_workflows.py'), functions)
  return folder
}

const names = ['sequential', 'named', 'unnamed', 'polling', 'lifecycle'] as const

/** The nodes `first` and `second`, whose operation `own.call` comes by at the gate, and the workflows. */
export function gatedBlueprint(port: number): Buffer {
  const node = (name: string) => ({
    type: 'cloudify.nodes.Root',
    interfaces: {
      own: {
        call: {
          implementation: 'call.py',
          executor: 'central_deployment_agent',
          max_retries: 1,
          retry_interval: 0,
          inputs: { port, who: `${name} call` },
        },
      },
      'cloudify.interfaces.lifecycle': {
        create: {
          implementation: 'call.py',
          executor: 'central_deployment_agent',
          inputs: { port, who: `${name} create` },
        },
      },
    },
  })
  const mapped = [...names, ...names.map((name) => `once_${name}`)].map((name) => [
    name,
    { mapping: `gated.gated_workflows.${name}`, parameters: { port: { default: port } } },
  ])
  return blueprintArchive(
    blueprintText({
      plugins: { gated: { executor: 'central_deployment_agent', install: false } },
      node_templates: { first: node('first'), second: node('second') },
      workflows: Object.fromEntries(mapped),
    }),
    { 'call.py': callScript },
  )
}

const functions = `
import json, os, socket
from cloudify.decorators import workflow
from cloudify.plugins import lifecycle as lifecycles
from cloudify.workflows import api
from cloudify.workflows import ctx as current
from cloudify.workflows.tasks import HandlerResult
from cloudify.workflows.tasks_graph import make_or_get_graph

def call(who, port):
    connection = socket.create_connection(('127.0.0.1', int(port)))
    connection.sendall((json.dumps({
        'who': who, 'instance': '', 'pid': os.getpid(), 'token': '', 'resume': bool(current.resume)}) + '\\n').encode())
    answer = connection.makefile().readline().strip()
    if answer == 'fail':
        raise Exception('told to fail')
    return answer

def instance_of(ctx, node):
    return next(one for one in ctx.node_instances if one.node_id == node)

def sequential(ctx, port, **_):
    call('began', port)
    instance_of(ctx, 'first').execute_operation('own.call').get()
    call('between', port)
    instance_of(ctx, 'second').execute_operation('own.call').get()

class Handler:
    def __init__(self, port):
        self.port = port

    def dump(self):
        return {'port': self.port}

    def __call__(self, task):
        return HandlerResult.cont() if call('handler', self.port) == 'ok' else HandlerResult.fail()

def fill(ctx, port):
    graph = ctx.graph_mode()
    first = instance_of(ctx, 'first').execute_operation('own.call')
    first.on_success = Handler(port)
    second = instance_of(ctx, 'second').execute_operation('own.call')
    local = ctx.local_task(call, kwargs={'who': 'local', 'port': port}, total_retries=0)
    graph.sequence().add(first, local, second)
    return graph

@make_or_get_graph
def build(ctx, port):
    return fill(ctx, port)

def named(ctx, port, **_):
    call('began', port)
    build(ctx, port, name='mine').execute()

def unnamed(ctx, port, **_):
    call('began', port)
    fill(ctx, port).execute()

def polling(ctx, port, **_):
    call('began', port)
    import time
    while not api.has_cancel_request():
        time.sleep(0.01)
    call('saw it', port)
    return api.EXECUTION_CANCELLED_RESULT

def lifecycle(ctx, port, **_):
    call('began', port)
    lifecycles.install_node_instances(ctx.graph_mode(), set(ctx.node_instances))

for function in (sequential, named, unnamed, polling, lifecycle):
    name = function.__name__
    def once(ctx, _function=function, **kwargs):
        return _function(ctx, **kwargs)
    globals()['once_' + name] = workflow(once)
    globals()[name] = workflow(resumable=True)(function)
`
