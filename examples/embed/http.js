import { createServer } from 'node:http'
import { toolwire } from './agent.js'

const server = createServer((request, response) =>
  toolwire.node(request, response, () => response.end('The application.')),
)
server.listen(Number(process.env.PORT ?? 3000), '127.0.0.1', () => console.log(server.address().port))
