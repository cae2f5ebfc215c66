import Fastify from 'fastify'
import { toolwirePlugin } from 'toolwire/fastify'
import { toolwire } from './agent.js'

const app = Fastify()
app.register(toolwirePlugin, { toolwire, basePath: '/agent' })
app.get('/', async () => 'The application.')
await app.listen({ port: Number(process.env.PORT ?? 3000), host: '127.0.0.1' })
console.log(app.server.address().port)
