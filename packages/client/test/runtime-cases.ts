/** What the client does in every JavaScript runtime: the same program, over a good connection and a bad one. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startProxy } from './cutting-proxy.ts'
import { realServer } from './real-server.ts'

const PROGRAM = fileURLToPath(new URL('every-runtime.ts', import.meta.url))

/** Registers the tests. `command` starts the runtime. */
export function testRuntime(name: string, command: string): void {
  const url = realServer()

  test(`a conversation with a client tool and an approval works in ${name}`, async () => {
    expect(await run(command, url())).toEqual(ENDED)
  })

  test(`the same conversation works in ${name} while connections are cut, and every message is sent once`, async () => {
    const cuts = Array.from({ length: 24 }, (_, n) => 200 + n * 150)
    const proxy = await startProxy(url(), [-1, ...cuts])
    try {
      expect(await run(command, proxy.url)).toEqual(ENDED)
      expect(proxy.connections()).toBeGreaterThan(cuts.length / 2)
      const keys = proxy.posts().map(post => (post.path === '/api/chat/stream' ? post.key : undefined))
      expect(new Set(keys.filter(Boolean)).size).toBe(2)
    } finally {
      await proxy.close()
    }
  })
}

const ENDED = { inputs: [{ value: 0.8 }], calls: ['success', 'success'], whole: true }

/** The last line that the program wrote. Throws when it failed. */
async function run(command: string, url: string): Promise<unknown> {
  const child = spawn(command, ['--conditions=toolwire-source', PROGRAM, url], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let told = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    told += text
  })
  const code = await new Promise((resolve, reject) => {
    child.once('close', resolve)
    child.once('error', reject)
  })
  expect(code, told).toBe(0)
  return JSON.parse(out.trim().split('\n').at(-1) ?? '')
}
