/** The floor: a reverse proxy on node:http that pipes bytes and understands nothing. */
import { Agent, createServer, request } from 'node:http'

const upstream = new URL(process.env['UPSTREAM'] ?? '')
const agent = new Agent({ keepAlive: true })

createServer((incoming, response) => {
  const { url: path, method, headers } = incoming
  const onward = request(
    { host: upstream.hostname, port: upstream.port, path, method, headers, agent },
    answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    },
  )
  onward.on('error', () => response.destroy())
  response.on('close', () => onward.destroy())
  incoming.pipe(onward)
}).listen({ port: Number(process.env['PORT']), host: '127.0.0.1', backlog: 4096 })
