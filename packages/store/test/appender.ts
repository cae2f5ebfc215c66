/** Runs append-forever.ts in a separate process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** What the program knew to be stored. */
export interface Ack {
  readonly heads: Readonly<Record<string, number>>
  /** Length of the write-ahead log after that. */
  readonly wal: number
}

export interface Appender {
  /** Resolves when `count` answers have been printed. Rejects when the program ends before. */
  readonly acked: (count: number) => Promise<void>
  /** SIGKILL. Resolves with everything it printed. */
  readonly kill: () => Promise<readonly Ack[]>
}

export async function startAppender(dir: string): Promise<Appender> {
  const program = fileURLToPath(new URL('./append-forever.ts', import.meta.url))
  const child = spawn(process.execPath, ['--conditions=toolwire-source', program, dir], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const acks: Ack[] = []
  const waiting = new Set<() => void>()
  const errors: string[] = []
  let ended = false
  child.stderr.on('data', data => errors.push(String(data)))
  const lines = createInterface({ input: child.stdout })
  lines.on('line', line => {
    acks.push(JSON.parse(line) as Ack)
    for (const check of waiting) check()
  })
  const closed = once(lines, 'close').then(() => {
    ended = true
    for (const check of waiting) check()
  })
  return {
    acked: count =>
      new Promise((resolve, reject) => {
        const check = (): void => {
          if (acks.length < count && !ended) return
          waiting.delete(check)
          if (acks.length >= count) resolve()
          else reject(new Error(`the appender ended early: ${errors.join('')}`))
        }
        waiting.add(check)
        check()
      }),
    async kill() {
      child.kill('SIGKILL')
      await closed
      return acks
    },
  }
}
