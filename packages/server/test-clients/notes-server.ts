/** A small MCP server over standard input and output, with one tool. */
export const NOTES_SERVER = `import { createInterface } from 'node:readline'
const send = message => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const tool = { name: 'read', inputSchema: { type: 'object', properties: { name: { type: 'string' } } } }
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line)
  const serverInfo = { name: 'notes', version: '1' }
  if (id === undefined) return
  if (method === 'initialize') send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } })
  else if (method === 'tools/list') send({ id, result: { tools: [tool] } })
  else if (method === 'tools/call') send({ id, result: { content: [{ type: 'text', text: 'note ' + params.arguments.name } ] } })
  else send({ id, error: { code: -32601, message: 'unknown' } })
})
`
