/** Runs the ripgrep binary that a package ships. What it finds is passed on while it searches. */
import { spawn } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { release } from 'node:os'

export interface RipgrepRequest {
  readonly args: readonly string[]
  readonly cwd: string
  readonly signal: AbortSignal
  readonly timeout_ms: number
  /** Called with pieces of the output in order; `false` ends the search. */
  readonly onData: (chunk: Buffer) => boolean
  /** The search begins again: what was passed on so far does not count. */
  readonly onRestart?: () => void
}

export interface RipgrepEnd {
  /** 0 found, 1 found nothing, 2 failed in part or whole; undefined when it was stopped. */
  readonly code: number | undefined
  readonly stderr: string
  readonly timed_out: boolean
}

const MAX_STDERR = 8_000

/** Undefined where no binary is installed for this machine, or what is installed cannot be run. */
export async function ripgrepPath(): Promise<string | undefined> {
  try {
    const { rgPath } = await import('@vscode/ripgrep')
    await access(rgPath, constants.X_OK)
    return rgPath
  } catch {
    return undefined
  }
}

/** How searches are done, where it is not left to the machine. */
export interface SearchOptions {
  /** The binary; the one that the package ships when absent. */
  readonly ripgrep?: string
  /** Search without any binary. */
  readonly without_ripgrep?: boolean
  readonly timeout_ms?: number
}

/** For the table of limits, which is the same on every machine. */
export const searchTimeWords = ({ timeout_ms }: SearchOptions): string =>
  timeout_ms === undefined ? '20000 ms (60000 under WSL)' : `${timeout_ms} ms`

/** What is mounted from Windows is slow. */
export const SEARCH_TIMEOUT_MS = /microsoft/i.test(release()) ? 60_000 : 20_000

export const findRipgrep = async ({
  ripgrep,
  without_ripgrep,
}: SearchOptions): Promise<string | undefined> =>
  without_ripgrep ? undefined : (ripgrep ?? (await ripgrepPath()))

/** Never rejects for what ripgrep does; a binary that cannot be started gives code 2 and says why. */
export async function runRipgrep(binary: string, request: RipgrepRequest): Promise<RipgrepEnd> {
  const first = await once(binary, request.args, request)
  // Out of threads: slower is better than nothing.
  const starved = first.code === 2 && /os error 11|Resource temporarily unavailable/.test(first.stderr)
  if (!starved) return first
  request.onRestart?.()
  return await once(binary, ['-j1', ...request.args], request)
}

function once(binary: string, args: readonly string[], request: RipgrepRequest): Promise<RipgrepEnd> {
  return new Promise(resolve => {
    const child = spawn(binary, [...args], {
      cwd: request.cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] },
    })
    let stderr = ''
    let timed_out = false
    const timer = setTimeout(() => {
      timed_out = true
      child.kill('SIGKILL')
    }, request.timeout_ms)
    const stop = (): void => void child.kill('SIGKILL')
    request.signal.addEventListener('abort', stop, { once: true })
    child.stdout.on('data', (chunk: Buffer) => {
      if (!request.onData(chunk)) child.kill('SIGKILL')
    })
    child.stderr.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(0, MAX_STDERR)
    })
    const end = (code: number | undefined, said: string): void => {
      clearTimeout(timer)
      request.signal.removeEventListener('abort', stop)
      resolve({ code, stderr: said, timed_out })
    }
    child.once('error', error => end(2, error.message))
    child.once('close', code => end(code ?? undefined, stderr))
  })
}
