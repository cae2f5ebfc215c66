/** Starts the gateway of `killed-gateway.ts` in a separate process, over a temporary folder that outlives it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const SERVER = fileURLToPath(new URL('killed-gateway.ts', import.meta.url))

/** Where the process kills itself. */
export type KillPoint = 'planned' | 'begun' | 'half' | 'never'

export interface SpawnedGateway {
  /** Starts a process over the folder; returns its URL. */
  readonly start: (point: KillPoint) => Promise<string>
  /** Resolves once the process has killed itself. */
  readonly died: () => Promise<void>
  /** Kills what runs. */
  readonly kill: () => Promise<void>
  /** Kills what runs and removes the folder. */
  readonly close: () => Promise<void>
}

export async function openSpawnedGateway(): Promise<SpawnedGateway> {
  const folder = await mkdtemp(join(tmpdir(), 'toolwire-killed-'))
  let child: ChildProcess | undefined
  const hasEnded = () => !child || child.exitCode !== null || child.signalCode !== null
  const died = async (): Promise<void> => {
    if (child && !hasEnded()) await once(child, 'exit')
  }
  const kill = async (): Promise<void> => {
    if (!hasEnded()) child?.kill('SIGKILL')
    await died()
  }
  return {
    async start(point) {
      child = spawn(process.execPath, ['--conditions=toolwire-source', SERVER, folder, point], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      let out = ''
      for await (const chunk of child.stdout ?? []) {
        out += chunk
        if (out.includes('\n')) return out.trim()
      }
      throw new Error('the server did not start')
    },
    died,
    kill,
    async close() {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

interface Listed {
  readonly sessions: readonly { readonly id: string }[]
}

/** How often each session was asked for an answer: imported runs are past. */
export async function countRuns(url: string): Promise<readonly number[]> {
  const { sessions } = (await (await fetch(`${url}/api/sessions`)).json()) as Listed
  const counts = sessions.map(async ({ id }) => {
    const response = await fetch(`${url}/api/sessions/${id}/events?wire=canonical`)
    const records = (await response.text())
      .split('\n')
      .flatMap(line => (line.startsWith('data: ') ? [line] : []))
    return records.filter(line => line.includes('"type":"run.started"') && !line.includes('"import"')).length
  })
  return await Promise.all(counts)
}
