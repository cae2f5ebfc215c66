/** Runs ripgrep and passes on what it finds while it searches. Its memory is bounded: it reads lines and ignore files whole. */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Ripgrep } from './ripgrep.ts'

export interface RipgrepRequest {
  readonly args: readonly string[]
  readonly cwd: string
  /** A file that it finds as its descriptor 3. */
  readonly fd?: number | undefined
  readonly signal: AbortSignal
  readonly timeout_ms: number
  /** Called with pieces of the output, one after another; `false` ends the search. */
  readonly onData: (chunk: Buffer) => boolean | Promise<boolean>
  /** The search begins again: drop what was passed on so far. */
  readonly onRestart?: () => void
}

export interface RipgrepEnd {
  /** 0 found, 1 found nothing, 2 failed in part or whole; undefined when it was stopped. */
  readonly code: number | undefined
  readonly stderr: string
  readonly timed_out: boolean
  /** A sentence for the model: which rules the search did not apply. */
  readonly note?: string
}

const MAX_STDERR = 8_000
/** Many times what a search takes; in units of 1024 bytes. */
const MAX_MEMORY = 512 * 1024
const OUT_OF_MEMORY = /^memory allocation of \d+ bytes failed|os error 12\)/m
const OUT_OF_THREADS = /os error 11|Resource temporarily unavailable/
const WITHOUT_IGNORE = ['--no-ignore', '--max-filesize', '64M']

/** Never rejects for what ripgrep does; a binary that cannot be started gives code 2 and says why. */
export async function runRipgrep(
  { binary, unsafeIgnoreFile }: Ripgrep,
  request: RipgrepRequest,
): Promise<RipgrepEnd> {
  const args = ['--no-mmap', '--no-ignore-messages', ...request.args]
  if (unsafeIgnoreFile !== undefined) {
    const end = await runOnce(binary, [...WITHOUT_IGNORE, ...args], request)
    return { ...end, note: toNote(`${unsafeIgnoreFile} is not a small regular file`) }
  }
  const first = await runOnce(binary, args, request)
  if (OUT_OF_MEMORY.test(first.stderr)) {
    request.onRestart?.()
    const end = await runOnce(binary, [...WITHOUT_IGNORE, ...args], request)
    return { ...end, note: toNote('the search with them needed too much memory') }
  }
  if (first.code !== 2 || !OUT_OF_THREADS.test(first.stderr)) return first
  request.onRestart?.()
  return await runOnce(binary, ['-j1', ...args], request)
}

const toNote = (reason: string): string =>
  `Ignore files were not applied and files over 64 MB were left out, because ${reason}.`

function runOnce(binary: string, args: readonly string[], request: RipgrepRequest): Promise<RipgrepEnd> {
  return new Promise(resolve => {
    const [program, ...words] = limited([binary, ...args])
    const child = spawn(program, words, {
      cwd: request.cwd,
      stdio: ['ignore', 'pipe', 'pipe', ...(request.fd === undefined ? [] : [request.fd])],
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
    const passedOn = passOn(child, request.onData)
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString()).slice(0, MAX_STDERR)
    })
    const end = (code: number | undefined, text: string): void => {
      clearTimeout(timer)
      request.signal.removeEventListener('abort', stop)
      resolve({ code, stderr: text, timed_out })
    }
    child.once('error', error => end(2, error.message))
    child.once('close', async code => {
      await passedOn
      // 126 and 127 are the shell's codes for a program that it cannot start; out of memory, ripgrep is aborted.
      const hasFailed = code === 126 || code === 127 || OUT_OF_MEMORY.test(stderr)
      end(hasFailed ? 2 : (code ?? undefined), stderr)
    })
  })
}

/** Never rejects. */
async function passOn(child: ChildProcess, onData: RipgrepRequest['onData']): Promise<void> {
  try {
    for await (const chunk of child.stdout ?? []) if (!(await onData(chunk))) break
  } catch {
    // Its output ended with it.
  } finally {
    child.kill('SIGKILL')
  }
}

type CommandLine = readonly [string, ...string[]]

/** Systems without a shell, or whose shell cannot limit memory, run it as it is. */
const limited = (line: CommandLine): CommandLine =>
  process.platform === 'win32'
    ? line
    : ['/bin/sh', '-c', `ulimit -c 0; ulimit -v ${MAX_MEMORY} 2>/dev/null; exec "$0" "$@"`, ...line]
