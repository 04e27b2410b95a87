import { brokerFields, clusterNodeFields, dbNodeFields, defaultMaxResults, pickIncluded } from '@tutti/api'
import { valuesAnswer, wholeAnswer } from '@tutti/domain'
import {
  changeBroker,
  changeManager,
  createBroker,
  createManager,
  getClusterNode,
  getManager,
  listBrokers,
  listClusterNodes,
  listDatabaseNodes,
  listManagers,
  notJoined,
  readClusterState,
  readClusterStatus,
  readStatus,
  removeBroker,
  removeClusterNode,
  removeManager,
  updateDatabaseNodes,
} from '@tutti/domain/cluster'
import type { Handlers } from '../../request.ts'

/** docs/reference/cluster-and-configuration.md, "Status" */
export const clusterHandlers = {
  async 'status.get'({ services, options, include }) {
    const status = await readStatus(services.db)
    return pickIncluded(options.summary === true ? { ...status, services: {} } : status, include)
  },

  async 'ok.get'({ services, reply }) {
    const { status } = await readStatus(services.db)
    if (status === 'OK') return 'OK'
    reply.code(500)
    return 'FAIL'
  },

  async 'clusterStatus.get'({ services, options, reply }) {
    const status = await readClusterStatus(services)
    if (options.summary !== true) return status
    if (status.status === 'Fail') reply.code(500)
    return { ...status, services: {} }
  },

  'managers.list': (request) => listManagers(request, request.list),
  'managers.get': (request) => getManager(request, request.params.hostname, request.include),
  async 'managers.create'(request) {
    await createManager(request, request.body)
    return getManager(request, request.body.hostname, request.include)
  },
  async 'managers.update'(request) {
    await changeManager(request, request.params.hostname, request.body)
    return getManager(request, request.params.hostname, request.include)
  },
  'managers.delete': (request) => removeManager(request, request.params.hostname),

  'brokers.list': async (request) =>
    valuesAnswer(request, brokerFields, await listBrokers(request.services.db)),
  'brokers.create': async (request) =>
    pickIncluded(await createBroker(request, request.body), request.include),
  'brokers.update': async (request) =>
    pickIncluded(await changeBroker(request, request.params.name, request.body), request.include),
  'brokers.delete': (request) => removeBroker(request, request.params.name),

  'dbNodes.list': async (request) =>
    valuesAnswer(request, dbNodeFields, await listDatabaseNodes(request.services.db)),
  'dbNodes.update': async (request) =>
    wholeAnswer(await updateDatabaseNodes(request, request.body.action), defaultMaxResults),

  'cluster.get': (request) => readClusterState(request, request.include),
  'cluster.join': async () => {
    throw notJoined()
  },
  'cluster.configure': async () => {
    throw notJoined()
  },
  'clusterNodes.list': async (request) =>
    valuesAnswer(request, clusterNodeFields, await listClusterNodes(request)),
  'clusterNodes.get': async (request) =>
    pickIncluded(await getClusterNode(request, request.params.node_id), request.include),
  'clusterNodes.add': async () => {
    throw notJoined()
  },
  'clusterNodes.delete': (request) => removeClusterNode(request, request.params.node_id),
} satisfies Partial<Handlers>
