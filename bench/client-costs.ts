/** Cost of one large input in clients: the product's and others, each in a separate process. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CLIENT_STREAMS, type ClientName } from './client-streams.ts'
import type { ClientReport } from './own-client.ts'
import { peersFolder } from './peer.ts'
import { CLIENT_PROGRAM } from './peer-programs.ts'
import { asProvided, countPieces, type Recording } from './recording.ts'

export interface ClientCost {
  readonly client: ClientName
  readonly chars: number
  /** Its input: the deltas of the provider, or a recording of the server at that pace. */
  readonly source: 'provider' | number
  readonly pieces: number
  readonly streamed_ms: number
  /** CPU time, so that a busy machine matters less. One per round. */
  readonly ms: number[]
  /** It needed more than `MOST_CPU_S` and was ended; it is not asked again. */
  stopped?: true
}

/** Of CPU, for one run of one client. */
export const MOST_CPU_S = 120

/** One row per recording and client; clients of others only where they are installed. */
export function clientCosts(recordings: readonly Recording[], rounds: number): readonly ClientCost[] {
  const modules = join(peersFolder(), 'clients', 'node_modules')
  const hasOthers = existsSync(join(modules, 'ai')) && existsSync(join(modules, '@ag-ui/client'))
  const clients = (Object.keys(CLIENT_STREAMS) as ClientName[]).filter(
    client => client === 'toolwire' || hasOthers,
  )
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-bench-'))
  try {
    symlinkSync(modules, join(folder, 'node_modules'))
    writeFileSync(join(folder, 'clients.mjs'), CLIENT_PROGRAM)
    const runs = clients.flatMap(client => sources(recordings).map(source => prepare(folder, client, source)))
    for (let round = 0; round < rounds; round++) for (const run of runs) run.measure()
    return runs.map(run => run.cost)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Source {
  readonly of: ClientCost['source']
  readonly recording: Recording
}

/** The recordings, and of each size before them the deltas that the provider sent. */
const sources = (recordings: readonly Recording[]): readonly Source[] =>
  recordings.flatMap(recording => [
    ...(recording.paceMs === 0 ? [{ of: 'provider', recording: asProvided(recording) } as const] : []),
    { of: recording.paceMs, recording },
  ])

function prepare(folder: string, client: ClientName, { of: source, recording }: Source) {
  const { chars, streamed_ms } = recording
  const file = join(folder, `${client}-${chars}-${source}.json`)
  writeFileSync(file, JSON.stringify(CLIENT_STREAMS[client](recording)))
  const cost: ClientCost = { client, chars, source, streamed_ms, pieces: countPieces(recording), ms: [] }
  const measure = (): void => {
    if (cost.stopped) return
    const ms = timeClient(folder, [...programOf(client), file, String(chars)])
    if (ms === undefined) cost.stopped = true
    else cost.ms.push(ms)
  }
  return { cost, measure }
}

const programOf = (client: ClientName): readonly string[] =>
  client === 'toolwire'
    ? ['--conditions=toolwire-source', fileURLToPath(new URL('./own-client.ts', import.meta.url))]
    : ['clients.mjs', client]

/** Undefined when it needed too much. Throws when it failed. */
function timeClient(cwd: string, args: readonly string[]): number | undefined {
  const limited = ['-c', `ulimit -S -t ${MOST_CPU_S}; exec "$@"`, 'sh', process.execPath, ...args]
  const { stdout, stderr, signal } = spawnSync('/bin/sh', limited, { cwd, encoding: 'utf8' })
  if (signal === 'SIGXCPU') return undefined
  const line = stdout.trim().split('\n').at(-1) ?? ''
  if (!line.startsWith('{')) throw new Error(`${args.join(' ')} ${signal ?? ''}: ${stderr.slice(-500)}`)
  return (JSON.parse(line) as ClientReport).ms
}
