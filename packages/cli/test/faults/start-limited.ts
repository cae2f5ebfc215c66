/** The real command under limits of the shell that starts it: files that may not grow, few descriptors. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

export interface Limited {
  readonly url: string
  /** What it has printed to stderr so far. */
  readonly stderr: () => string
  readonly isAlive: () => boolean
  /** Kills it when it is still there; resolves when it is gone. */
  readonly kill: (signal?: NodeJS.Signals) => Promise<number | null>
}

/** `limit` is a shell command such as `ulimit -n 64`. Throws with what it printed when the server ends before it listens. */
export async function startLimited(
  dir: string,
  limit: string,
  env: Record<string, string> = {},
): Promise<Limited> {
  const args = ['--conditions=toolwire-source', MAIN, '--port', '0', '--data', join(dir, 'data')]
  const child = spawn('/bin/sh', ['-c', `${limit}; exec "$@"`, 'sh', process.execPath, ...args], {
    cwd: dir,
    env: { PATH: process.env['PATH'] ?? '', HOME: dir, TOOLWIRE_DEMO_PACE_MS: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  let alive = true
  const ended = new Promise<number | null>(resolve =>
    child.on('close', code => {
      alive = false
      resolve(code)
    }),
  )
  child.stderr.setEncoding('utf8').on('data', text => {
    err += text
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', text => {
      out += text
      const found = /on (http:\S+)/.exec(out)
      if (found?.[1]) resolve(found[1])
    })
    ended.then(code => reject(new Error(`ended early with ${code}: ${err}`)), reject)
  })
  return {
    url,
    stderr: () => err,
    isAlive: () => alive,
    async kill(signal = 'SIGKILL') {
      child.kill(signal)
      return await ended
    },
  }
}
