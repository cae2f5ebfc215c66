/** A run that ends the process whenever it is resumed: the server stays up in the end, and the other runs with it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inFolder, type Launched, launch } from './launch.ts'

const POISON = `
export const models = { poison: { provider: 'own', id: 'poison', async *stream() {
  process.kill(process.pid, 'SIGKILL')
  await new Promise(() => {})
} } }
`

const post = (url: string, body: unknown): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

async function send(server: Launched, model: string): Promise<string> {
  const { id } = (await (await post(`${server.url}/api/sessions`, { model })).json()) as { id: string }
  await post(`${server.url}/api/chat/stream`, { session_id: id, message: '/long 4000' }).catch(() => {})
  return id
}

test('a run that kills the server when it is resumed is failed, and a run beside it comes to its end', async () => {
  await inFolder(async dir => {
    writeFileSync(join(dir, 'models.mjs'), POISON)
    writeFileSync(join(dir, 'toolwire.config.json'), JSON.stringify({ modelsModule: 'models.mjs' }))
    const slow = { TOOLWIRE_DEMO_PACE_MS: '50' }
    const first = await launch(dir, ['--port', '0'], slow)
    const innocent = await send(first, 'demo')
    const poison = await send(first, 'poison')
    await first.ended
    let server: Launched | undefined
    let crashes = 1
    for (; !server; crashes += 1) {
      expect(crashes, 'the server never stays up').toBeLessThan(8)
      const next = await launch(dir, ['--port', '0'], slow).catch(() => undefined)
      const isFailed = next && untilFailed(next, poison)
      if (next && (await Promise.race([isFailed, next.ended.then(() => false)]))) server = next
    }
    expect(crashes).toBeGreaterThan(3)
    expect(await textOf(server, poison)).toContain('"code":"run_crashed"')
    expect(await textOf(server, innocent)).not.toContain('run_crashed')
    await server.stop()
    const fast = await launch(dir)
    const done = await fetch(`${fast.url}/api/sessions/${innocent}/events?wire=chat`)
    expect(await done.text()).toContain('"subtype":"success"')
    await fast.stop()
  })
})

const textOf = async (server: Launched, session: string): Promise<string> =>
  await (await fetch(`${server.url}/api/sessions/${session}/export`)).text()

async function untilFailed(server: Launched, session: string): Promise<boolean> {
  for (;;) {
    const text = await textOf(server, session).catch(() => undefined)
    if (text === undefined) return false
    if (text.includes('run_crashed')) return true
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}
