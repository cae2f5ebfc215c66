/** What a host can hand over that is no request, and heads that no server takes. */
import { connect } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createToolwire, type Toolwire } from '../../src/index.ts'

let toolwire: Toolwire
afterEach(async () => {
  await toolwire.close()
})

it.each([['text'], [undefined], [null], [{}], [7]])('rejects %j in the place of a request', async given => {
  toolwire = createToolwire({ access: 'open' })
  await expect(toolwire.handler(given as never)).rejects.toThrow(TypeError)
  expect((await toolwire.handler(new Request('http://localhost/healthz'))).status).toBe(200)
})

it('answers 431 to headers of 20 kB where it owns the socket', async () => {
  toolwire = createToolwire({ access: 'open' })
  const { port } = new URL(await toolwire.listen())
  const socket = connect(Number(port), '127.0.0.1')
  socket.write(`GET /healthz HTTP/1.1\r\nhost: localhost\r\nx-long: ${'x'.repeat(20_000)}\r\n\r\n`)
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  expect(text.split('\r\n')[0]).toContain('431')
})
