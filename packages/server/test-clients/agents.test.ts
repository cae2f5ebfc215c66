/** Command-line agents, unmodified, through a tool round trip against the gateway. */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../test/gateway/gateway-server.ts'
import { AGENTS, type CliAgent } from './agents.ts'
import { programOf } from './installed.ts'
import { createReadingModel, type ReadingModel } from './reading-model.ts'

const CACHE = process.env['TOOLWIRE_CLIENTS'] ?? ''
const SECRET = 'heliotrope-4711'

let home: string
let work: string
let gateway: Gateway
let model: ReadingModel
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'toolwire-client-'))
  work = join(home, 'work')
  await mkdir(work)
  const file = join(work, 'note.txt')
  await writeFile(file, `${SECRET}\n`)
  model = createReadingModel(file)
  gateway = await startGateway({ models: () => model })
})
afterEach(async () => {
  await gateway.close()
  await rm(home, { recursive: true, force: true })
})

test('only this machine can be reached', () => {
  expect(Object.keys(networkInterfaces())).toEqual(['lo'])
})

const CASES = AGENTS.flatMap(agent => agent.wires.map(wire => [agent.name, wire, agent] as const))

test.each(CASES)('%s runs its own tool over %s and says what it found', async (_, wire, agent) => {
  const prompt = 'Read note.txt and tell me what it says.'
  const args = await agent.prepare(wire, { url: gateway.url, home }, prompt)
  const { output, code } = await run(agent, args)
  expect(output, `exit code ${code}`).toContain(SECRET)
  const rounds = model.requests.filter(request => request.messages.some(message => message.role === 'tool'))
  expect(rounds.length).toBeGreaterThan(0)
  expect(JSON.stringify(rounds.at(-1)?.messages)).toContain(SECRET)
})

/** As a user at a terminal would start it, with nothing of this machine's own settings. */
function run(
  agent: CliAgent,
  args: readonly string[],
): Promise<{ readonly output: string; readonly code: number | null }> {
  const program = join(CACHE, programOf(agent))
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, XDG_CONFIG_HOME: join(home, '.config'), CI: '1' }
  const child = spawn(process.execPath, [program, ...args], {
    cwd: work,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return new Promise((resolve, reject) => {
    let output = ''
    const take = (chunk: Buffer): void => {
      output += chunk.toString('utf8')
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.once('error', reject)
    child.once('close', code => resolve({ output, code }))
  })
}
