// Serves the built page and the agent. While you develop, `npm run dev` does both.
import express from 'express'
import { toolwire } from './agent.ts'

const app = express()
app.use('/agent', toolwire.node)
app.use(express.static('dist'))

const port = Number(process.env.PORT ?? 3000)
const server = app.listen(port, '127.0.0.1', () => console.log(`http://127.0.0.1:${port}`))

// Runs that are still going continue at the next start.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    server.close()
    await toolwire.close()
  })
