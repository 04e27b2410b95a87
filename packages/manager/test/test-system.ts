import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { listen, openDatabase, openProcessFolder } from '@tutti/storage'
import { runtimeFolder, startWorker } from '@tutti/worker'
import { Registry } from 'prom-client'
import { expect } from 'vitest'
import type { ManagerSettings } from '../src/settings.ts'
import { blueprintArchive } from './archives.ts'
import {
  headersOf,
  startTestManager,
  type TestAnswer,
  type TestManager,
  type TestRequest,
} from './test-manager.ts'

/** A request as it goes over a real connection, with whatever body and headers a client may send. */
export type SentRequest = Omit<TestRequest, 'body'> & {
  readonly body?: string | Uint8Array | FormData | ReadableStream<Uint8Array>
  readonly headers?: Readonly<Record<string, string>>
}

export type TestSystem = TestManager & {
  /** Where the manager listens. */
  readonly url: string
  /** Over HTTP; `path` as for `inject`. */
  send(method: string, path: string, request?: SentRequest): Promise<TestAnswer>
  /** Uploads a blueprint, well. */
  upload(id: string, archive?: Uint8Array, query?: string, request?: SentRequest): Promise<void>
  /** Creates a deployment, well. */
  deploy(id: string, blueprintId: string, body?: Readonly<Record<string, unknown>>): Promise<void>
  /** Starts a workflow, well; answers the execution's id. */
  start(deploymentId: string, workflowId: string, body?: Readonly<Record<string, unknown>>): Promise<string>
  /** The execution once it has ended. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers whose shape is what they test
  ended(executionId: string): Promise<any>
  /** Resolves when the deployment is no more. */
  deleted(deploymentId: string): Promise<void>
  /** Ends the worker without a time to wait, and starts another one. */
  restartWorker(): Promise<void>
}

/** A manager that listens, with a worker beside it, on a database of their own. */
export async function startTestSystem(
  settings: Partial<ManagerSettings> = {},
  { leaseMs = 3_000 }: { readonly leaseMs?: number } = {},
): Promise<TestSystem> {
  const manager = await startTestManager({ waitMs: 60_000, ...settings })
  const { app, connection, services } = manager
  const { dataFolder } = services.settings
  const listener = listen(connection, services.executionEnds.onNotification)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const database = openDatabase({ ...connection, max: 8 })
  const start = async (metrics = services.metrics) =>
    startWorker({
      db: database.db,
      connection,
      queue: services.queue,
      log: silent,
      metrics,
      version: 'test',
      settings: {
        ...services.settings,
        owner: randomUUID(),
        isAlone: false,
        leaseMs,
        maxOperations: 8,
        operationTimeoutMs: 0,
        drainMs: 0,
        workFolder: await openProcessFolder(join(dataFolder, 'work')),
        resourcesSweepMs: 100,
        python: 'python3',
        warmPython: true,
        operationUsers: undefined,
        operationLogs: { maxBytes: 1_000_000, files: 2 },
        environment: {
          inherited: process.env,
          alsoPassed: [],
          manager: {
            protocol: 'http',
            hosts: ['127.0.0.1'],
            port: Number(new URL(url).port),
            name: 'test',
            certificateFile: null,
          },
          runtimeFolder: runtimeFolder(),
          pluginWorkFolder: join(dataFolder, 'plugins'),
          logFolder: join(dataFolder, 'logs'),
          resourcesFolder: join(dataFolder, 'resources'),
        },
      },
    })
  let worker = await start()

  const send: TestSystem['send'] = async (method, path, { body, headers, ...request } = {}) => {
    const isWhole = path.startsWith('/resources/') || path.startsWith('/api/')
    const { 'content-type': type, ...own } = headersOf(request)
    const sent = body as NonNullable<RequestInit['body']> | undefined
    const response = await fetch(`${url}${isWhole ? path : `/api/v3.1${path}`}`, {
      method,
      headers: { ...own, ...(body instanceof FormData ? {} : { 'content-type': type }), ...headers },
      ...(sent !== undefined && { body: sent, duplex: 'half' }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    return {
      status: response.status,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
      headers: Object.fromEntries(response.headers),
      text,
    }
  }

  return {
    ...manager,
    url,
    send,
    async upload(id, archive = blueprintArchive(), query = '', request = {}) {
      const answer = await send('PUT', `/blueprints/${id}?${query}`, { ...request, body: archive })
      expect(answer).toMatchObject({ status: 201, body: { id, state: 'uploaded' } })
    },
    async deploy(id, blueprintId, body = {}) {
      const answer = await manager.inject('PUT', `/deployments/${id}`, {
        body: { blueprint_id: blueprintId, ...body },
      })
      expect(answer).toMatchObject({ status: 201, body: { id } })
    },
    async start(deploymentId, workflowId, body = {}) {
      const answer = await manager.inject('POST', '/executions', {
        body: { deployment_id: deploymentId, workflow_id: workflowId, ...body },
      })
      expect(answer).toMatchObject({ status: 201, body: { deployment_id: deploymentId } })
      return answer.body.id
    },
    async ended(executionId) {
      const { tenant_id } = await manager.db
        .selectFrom('executions')
        .select('tenant_id')
        .where('id', '=', executionId)
        .executeTakeFirstOrThrow()
      await services.executionEnds.wait(tenant_id, executionId, 110_000)
      const { name } = await manager.db
        .selectFrom('tenants')
        .select('name')
        .where('id', '=', tenant_id)
        .executeTakeFirstOrThrow()
      return (await manager.inject('GET', `/executions/${executionId}`, { tenant: name })).body
    },
    async deleted(deploymentId) {
      const { items } = (
        await manager.inject(
          'GET',
          `/executions?deployment_id=${deploymentId}&workflow_id=delete_deployment_environment&_sort=-created_at`,
        )
      ).body
      // Gone with its execution, perhaps already.
      if (items.length > 0) await services.executionEnds.wait(0, items[0].id, 60_000)
      expect(await manager.inject('GET', `/deployments/${deploymentId}`)).toMatchObject({ status: 404 })
    },
    async restartWorker() {
      await worker.drain()
      worker = await start(new Registry())
    },
    async close() {
      await worker.drain()
      await listener.close()
      await database.close()
      await manager.close()
    },
  }
}

const silent = {
  info: () => {},
  warn: () => {},
  error: (fields: Readonly<Record<string, unknown>>, message: string) => console.error(message, fields),
}
