/**
 * The least that an answer over HTTP from PostgreSQL can cost in Node: a Fastify without anything, a pool, one prepared
 * statement for each request, its rows as JSON. `/NAME?v=VALUE&v=VALUE` answers the rows of that statement.
 */
import Fastify from 'fastify'
import { Pool } from 'pg'
import { floorStatements, isFloorStatement } from './statements.ts'

const [host] = process.argv.slice(2)
const pool = new Pool({ host, port: 5432, user: 'tutti', database: 'tutti', max: 20 })
const app = Fastify()
app.removeAllContentTypeParsers()
app.addContentTypeParser('*', (_request, _payload, done) => done(null))
app.route<{ Params: { name: string }; Querystring: { v?: string | string[] } }>({
  method: ['GET', 'PUT', 'POST'],
  url: '/:name',
  handler: async ({ params: { name }, query }, reply) => {
    if (!isFloorStatement(name)) return reply.code(404).send()
    const values = [query.v ?? []].flat()
    const { rows } = await pool.query({ name, text: floorStatements[name], values })
    reply.type('application/json; charset=utf-8')
    return JSON.stringify({ items: rows })
  },
})
await app.listen({ host: '127.0.0.1', port: 0 })
const address = app.server.address()
process.once('disconnect', () => process.exit())
process.send?.(typeof address === 'object' ? address?.port : undefined)
