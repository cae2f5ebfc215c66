/** Program: the test server, which ends only by a kill, and has a child in a separate session. */
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { createTestServer } from './test-server.ts'

const [notes = ''] = process.argv.slice(2)
process.on('SIGTERM', () => undefined)
process.on('SIGINT', () => undefined)
process.on('SIGHUP', () => undefined)
setInterval(() => undefined, 1000)
const child = spawn(
  process.execPath,
  ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'],
  {
    detached: true,
    stdio: 'inherit',
  },
)
appendFileSync(notes, `${process.pid}\n${child.pid}\n`)
await createTestServer({ crash: () => process.exit(3) }).connect(new StdioServerTransport())
