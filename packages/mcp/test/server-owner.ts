/** Program: owns a stubborn server until it is killed. Arguments: the folder, and the server's notes. */
import { createMcpTools } from '../src/create-mcp-tools.ts'
import { program } from './stage-mcp.ts'
import { until } from './until.ts'

const [folder = '', notes = ''] = process.argv.slice(2)
const mcp = createMcpTools({ servers: { test: program('stubborn-server.ts', notes) }, folder })
await until(mcp, () => mcp.status()[0]?.state === 'ready')
process.stdout.write('ready\n')
setInterval(() => undefined, 1000)
