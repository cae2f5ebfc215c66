import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { toolwire } from './agent.js'

const app = new Hono()
app.mount('/agent', toolwire.handler)
app.get('/', context => context.text('The application.'))
serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000), hostname: '127.0.0.1' }, ({ port }) =>
  console.log(port),
)
