/** The real codex when something fails: calls side by side, errors that end its turn, a server that is killed. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../test/gateway/gateway-server.ts'
import { configureCodex, execCodex } from './codex.ts'
import { createCodexModel } from './codex-model.ts'

let home: string
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'toolwire-codex-'))
})
afterEach(() => rm(home, { recursive: true, force: true }))

test('two calls of one message are run, and their results answered together', async () => {
  const model = createCodexModel()
  const gateway = await startGateway({ models: () => model })
  await configureCodex({ url: gateway.url, home, model: 'demo' })
  const call = (word: string) => `CALL exec_command ${JSON.stringify({ cmd: `echo ${word}` })}`
  const { output, errors } = await execCodex(home, `${call('heliotrope')}\n${call('vermilion')}`).ended
  expect(output, errors).toMatch(/heliotrope[\s\S]*\|[\s\S]*vermilion/)
  expect(model.requests).toHaveLength(2)
  expect((await gateway.get('/api/sessions')).sessions).toHaveLength(1)
  await gateway.close()
})

test.each(['context_too_long', 'bad_request'])('the error %s ends the turn after one model call', async code => {
  const model = createCodexModel()
  const gateway = await startGateway({ models: () => model })
  await configureCodex({ url: gateway.url, home, model: 'demo' })
  const { errors, code: status } = await execCodex(home, `FAIL ${code}`).ended
  expect(status, errors).toBe(1)
  expect(model.requests).toHaveLength(1)
  await gateway.close()
})

test('an error after output is shown, and repeated no more often than codex asks', async () => {
  const model = createCodexModel()
  const gateway = await startGateway({ models: () => model })
  await configureCodex({ url: gateway.url, home, model: 'demo' })
  const { errors, code } = await execCodex(home, 'BREAK bad_request').ended
  expect(code, errors).toBe(1)
  expect(errors).toContain('The model refused it.')
  expect(model.requests).toHaveLength(1)
  await gateway.close()
})

const SERVER = fileURLToPath(new URL('killed-codex-gateway.ts', import.meta.url))

interface Spawned {
  readonly child: ChildProcess
  readonly url: string
  /** Requests of its model so far. */
  readonly asked: () => number
}

async function spawnGateway(folder: string, mode: 'stuck' | 'ready'): Promise<Spawned> {
  const args = ['--conditions=toolwire-source', SERVER, folder, mode]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let asked = 0
  const url = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the server did not start')))
    createInterface({ input: child.stdout }).on('line', line => {
      if (line === 'asked') asked += 1
      else resolve(line)
    })
  })
  return { child, url, asked: () => asked }
}

/** Passes connections on to the latest server, and holds them until it has started. */
async function startRelay() {
  const next: { url: PromiseWithResolvers<string> } = { url: Promise.withResolvers() }
  const relay = createServer(socket => {
    socket.on('error', () => {})
    void next.url.promise.then(url => {
      const { hostname, port } = new URL(url)
      const upstream = connect(Number(port), hostname)
      upstream.on('error', () => socket.destroy()).on('close', () => socket.destroy())
      socket.on('close', () => upstream.destroy())
      socket.pipe(upstream).pipe(socket)
    })
  })
  await new Promise<void>(resolve => relay.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`,
    passOnTo: (url: string) => next.url.resolve(url),
    hold() {
      next.url = Promise.withResolvers()
    },
    close: () => relay.close(),
  }
}

test('a server that is killed in the middle of an answer gives it once it runs again, in one run', async () => {
  const data = await mkdtemp(join(tmpdir(), 'toolwire-codex-data-'))
  const relay = await startRelay()
  const first = await spawnGateway(data, 'stuck')
  relay.passOnTo(first.url)
  await configureCodex({ url: relay.url, home, model: 'demo' })
  const { ended } = execCodex(home, 'hello')
  while (first.asked() === 0) await new Promise(resolve => setTimeout(resolve, 50))
  relay.hold()
  first.child.kill('SIGKILL')
  const second = await spawnGateway(data, 'ready')
  relay.passOnTo(second.url)
  const { output, errors, code } = await ended
  expect(output.trim(), errors).toBe('HELLO')
  expect(code).toBe(0)
  expect(second.asked()).toBe(1)
  const { sessions } = (await (await fetch(`${second.url}/api/sessions`)).json()) as { sessions: unknown[] }
  expect(sessions).toHaveLength(1)
  relay.close()
  await rm(data, { recursive: true, force: true })
})
