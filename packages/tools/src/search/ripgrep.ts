/**
 * Runs the ripgrep binary that a package ships. What it finds is passed on while it searches. Its memory is bounded: it reads
 * ignore files whole, whatever a project made of them, and so it does lines.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { lstatSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { release } from 'node:os'
import { dirname, join } from 'node:path'

export interface RipgrepRequest {
  readonly args: readonly string[]
  readonly cwd: string
  /** A file that it finds as its descriptor 3. */
  readonly fd?: number | undefined
  readonly signal: AbortSignal
  readonly timeout_ms: number
  /** Called with pieces of the output, one after another; `false` ends the search. */
  readonly onData: (chunk: Buffer) => boolean | Promise<boolean>
  /** The search begins again: what was passed on so far does not count. */
  readonly onRestart?: () => void
}

export interface RipgrepEnd {
  /** 0 found, 1 found nothing, 2 failed in part or whole; undefined when it was stopped. */
  readonly code: number | undefined
  readonly stderr: string
  readonly timed_out: boolean
  /** It was stopped by its limit; what it passed on is a part. */
  readonly out_of_memory: boolean
}

const MAX_STDERR = 8_000
/** Many times what a search takes; in units of 1024 bytes. */
const MAX_MEMORY = 512 * 1024
const MAX_IGNORE_FILE = 1024 * 1024

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

/** Options of searches, instead of the machine's defaults. */
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

/** Windows mounts are slow. */
export const SEARCH_TIMEOUT_MS = /microsoft/i.test(release()) ? 60_000 : 20_000

/** Undefined without ripgrep, and for a root where it would follow a link, wait for a pipe or read a device. */
export async function findRipgrep(
  { ripgrep, without_ripgrep }: SearchOptions,
  root: string,
): Promise<string | undefined> {
  if (without_ripgrep || !hasPlainIgnoreFiles(root)) return undefined
  return ripgrep ?? (await ripgrepPath())
}

/** True if the ignore files that are read for everything below this directory are small regular files. */
function hasPlainIgnoreFiles(dir: string): boolean {
  const isPlain = IGNORE_FILES.every(name => isPlainOrAbsent(join(dir, name)))
  return isPlain && (dirname(dir) === dir || hasPlainIgnoreFiles(dirname(dir)))
}

function isPlainOrAbsent(path: string): boolean {
  try {
    const found = lstatSync(path)
    return found.isFile() && found.size <= MAX_IGNORE_FILE
  } catch {
    return true
  }
}

const IGNORE_FILES = ['.gitignore', '.ignore', '.rgignore']

/** Never rejects for what ripgrep does; a binary that cannot be started gives code 2 and says why. */
export async function runRipgrep(binary: string, request: RipgrepRequest): Promise<RipgrepEnd> {
  const args = ['--no-mmap', '--no-ignore-messages', ...request.args]
  const first = await once(binary, args, request)
  // Out of threads: slower is better than nothing.
  const starved = first.code === 2 && /os error 11|Resource temporarily unavailable/.test(first.stderr)
  if (!starved) return first
  request.onRestart?.()
  return await once(binary, ['-j1', ...args], request)
}

function once(binary: string, args: readonly string[], request: RipgrepRequest): Promise<RipgrepEnd> {
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
    const end = (code: number | undefined, said: string): void => {
      clearTimeout(timer)
      request.signal.removeEventListener('abort', stop)
      resolve({ code, stderr: said, timed_out, out_of_memory: OUT_OF_MEMORY.test(said) })
    }
    child.once('error', error => end(2, error.message))
    // The shell's code for a program that it cannot start.
    child.once('close', async code => {
      await passedOn
      end(code === 126 || code === 127 ? 2 : (code ?? undefined), stderr)
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

const OUT_OF_MEMORY = /^memory allocation of \d+ bytes failed|os error 12\)/m

type CommandLine = readonly [string, ...string[]]

/** Systems without a shell, or whose shell cannot limit memory, run it as it is. */
const limited = (line: CommandLine): CommandLine =>
  process.platform === 'win32'
    ? line
    : ['/bin/sh', '-c', `ulimit -c 0; ulimit -v ${MAX_MEMORY} 2>/dev/null; exec "$0" "$@"`, ...line]
