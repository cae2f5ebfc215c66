/** Koa: the agent answers under its base path, with the request and response of Node. */
import Koa from 'koa'
import { toolwire } from './agent.js'

const app = new Koa()
app.use(async (context, next) => {
  if (!context.path.startsWith('/agent/')) return await next()
  // Koa writes nothing then.
  context.respond = false
  toolwire.node(context.req, context.res)
})
app.use(context => {
  context.body = 'The application itself.'
})
const server = app.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => {
  console.log(server.address().port)
})
