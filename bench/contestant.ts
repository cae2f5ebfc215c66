/** Who takes part in the benchmarks: the product, a proxy as the floor, and the peers that are installed. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findPeers } from './peer.ts'
import { CHAT, COMPLETIONS, MESSAGES, type Road, THREAD, TRANSLATED } from './road.ts'
import { freePort, type Subject, startSubject } from './spawn-subject.ts'

export interface Contestant {
  readonly name: string
  readonly version: string
  readonly roads: (upstream: string) => readonly Road[]
  /** How much less of the load is enough to see its cost: its streams have this many times fewer deltas. */
  readonly slow: number
  /** Whether it keeps every delta in a durable log. */
  readonly durable: boolean
  readonly start: (upstream: string) => Promise<Subject>
}

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))

export const TOOLWIRE: Contestant = {
  name: 'toolwire',
  version: 'this checkout',
  roads: () => [CHAT, THREAD, MESSAGES, COMPLETIONS, TRANSLATED],
  slow: 1,
  durable: true,
  start: upstream => startToolwire(upstream),
}

const PROXY: Contestant = {
  name: 'plain node:http proxy',
  version: process.version,
  roads: () => [MESSAGES, COMPLETIONS],
  slow: 1,
  durable: false,
  async start(UPSTREAM) {
    const port = await freePort()
    return await startSubject({
      args: [here('proxy-server.ts')],
      port,
      cwd: ROOT,
      env: { UPSTREAM, PORT: String(port) },
    })
  },
}

/** The product first, then the floor, then the peers that are there. */
export const contestants = (): readonly Contestant[] => [TOOLWIRE, PROXY, ...findPeers()]

/** The sources, unbuilt. */
const SOURCES = ['--conditions=toolwire-source', join(ROOT, 'packages/cli/src/main.ts')]

/** The real command on a durable log in a folder of its own, both providers pointed at `upstream`. */
export async function startToolwire(upstream: string, command = SOURCES): Promise<Subject> {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-bench-'))
  const port = await freePort()
  const flags = [
    '--port',
    String(port),
    '--data',
    join(folder, 'data'),
    '--model',
    'claude-bench',
    '--no-open',
  ]
  return await startSubject({
    args: [...command, ...flags],
    port,
    cwd: folder,
    env: {
      ANTHROPIC_API_KEY: 'k',
      ANTHROPIC_BASE_URL: upstream,
      OPENAI_API_KEY: 'k',
      OPENAI_BASE_URL: `${upstream}/v1`,
    },
    cleanUp: () => rmSync(folder, { recursive: true, force: true }),
  })
}
