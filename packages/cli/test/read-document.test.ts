/** Reading keys of an identity provider from hostile servers. Names are resolved by the system: only addresses are used. */
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { readDocument } from '../src/read-document.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function serve(respond: RequestListener): Promise<string> {
  const server = createServer(respond).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const RULES = { maxBytes: 1000, timeoutMs: 60_000, privateHosts: ['127.0.0.1'] }

it('reads a document of this machine where its host is named, and connects nowhere else in the own network', async () => {
  let asked = 0
  const url = await serve((_, response) => {
    asked += 1
    response.end('{"keys":[]}')
  })
  expect(await readDocument(`${url}/keys`, RULES)).toBe('{"keys":[]}')
  await expect(readDocument(`${url}/keys`, { ...RULES, privateHosts: [] })).rejects.toThrow('private address')
  for (const host of [
    '10.0.0.1',
    '169.254.169.254',
    '192.168.1.1',
    '[::1]',
    '[fd00:ec2::254]',
    '0.0.0.0',
    '[::ffff:127.0.0.1]',
  ])
    await expect(readDocument(`http://${host}/latest/meta-data`, RULES)).rejects.toThrow('private address')
  expect(asked).toBe(1)
})

it.each([301, 302, 303, 307, 308, 204, 401, 500])('takes no response with status %i', async status => {
  let asked = 0
  const url = await serve((_, response) => {
    asked += 1
    response.writeHead(status, { location: '/elsewhere' }).end('{"keys":[]}')
  })
  await expect(readDocument(url, RULES)).rejects.toThrow(`responded with ${status}`)
  expect(asked).toBe(1)
})

it('stops at the allowed size, whatever the headers say', async () => {
  const url = await serve((_, response) => void response.end('a'.repeat(1001)))
  await expect(readDocument(url, RULES)).rejects.toThrow('more than 1000 bytes')
  const endless = await serve((_, response) => {
    const write = (): void => void (response.write('a'.repeat(400)) && setImmediate(write))
    response.on('drain', write)
    write()
  })
  await expect(readDocument(endless, RULES)).rejects.toThrow('more than 1000 bytes')
})

it('takes no response that ends early, and none that never comes', async () => {
  const cut = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('{"keys":[')
    setImmediate(() => response.destroy())
  })
  await expect(readDocument(cut, RULES)).rejects.toThrow()
  const silent = await serve(() => {})
  await expect(readDocument(silent, { ...RULES, timeoutMs: 50 })).rejects.toThrow(/abort|timeout/i)
  const slow = await serve((_, response) => void response.write('{'))
  await expect(readDocument(slow, { ...RULES, timeoutMs: 50 })).rejects.toThrow(/abort|timeout/i)
})
