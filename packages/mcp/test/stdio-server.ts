/** Program: the test server over stdio. Arguments: the era it speaks, and a file for notes. */
import { appendFileSync } from 'node:fs'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { createTestServer } from './test-server.ts'

const [era = 'modern', notes] = process.argv.slice(2)
const note = (line: string): void => {
  if (notes) appendFileSync(notes, `${line}\n`)
}
const make = () => createTestServer({ note, crash: () => process.exit(3) })

note(`pid ${process.pid}`)
process.stderr.write('test server is up\n')
if (era === 'legacy') await make().connect(new StdioServerTransport())
else serveStdio(make)
