/** Bun: the agent answers the requests under its base path. */
import { toolwire } from './agent.js'

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT ?? 3000),
  // Longer than the ten seconds between two heartbeats of a stream.
  idleTimeout: 30,
  fetch(request) {
    const { pathname } = new URL(request.url)
    return pathname.startsWith('/agent/') ? toolwire.fetch(request) : new Response('The application itself.')
  },
})
console.log(server.port)
