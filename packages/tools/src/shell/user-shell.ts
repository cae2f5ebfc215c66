/**
 * The shell as its user has set it up: variables, functions and aliases of an interactive shell,
 * taken once and given to every command. Names that the judge of commands takes for harmless
 * programs are left out, so that what was judged is what runs.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { READ_ONLY_PROGRAMS } from '../permissions/shell/read-only-programs.ts'
import { putFile } from '../safe-files/put-file.ts'
import { commandEnvironment } from './environment.ts'

export interface UserShell {
  /** The environment after the user's start files, secrets excluded. */
  readonly env: Readonly<Record<string, string>>
  /** Definitions for a shell to read before it runs a command; empty without any. */
  readonly script: string
}

export interface UserShellOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Secrets that commands may see. */
  readonly allow?: readonly string[] | undefined
  readonly timeout_ms?: number
}

const TIMEOUT_MS = 5_000
const DRAIN_MS = 500
const MAX_BYTES = 2 * 1024 * 1024

/**
 * Start files may print, ask or hang: there is no terminal, what they print is passed over, and
 * after a while they are given up. Never throws; then commands get the plain environment.
 */
export async function readUserShell(options: UserShellOptions): Promise<UserShell> {
  const env = commandEnvironment(options.env, options.allow)
  const mark = `toolwire-${randomUUID()}`
  const said = await runInteractive(env, mark, options.timeout_ms ?? TIMEOUT_MS)
  const parts = said?.split(`${mark}\n`) ?? []
  const [, functions, aliases, variables] = parts
  if (functions === undefined || aliases === undefined || variables === undefined) return { env, script: '' }
  return {
    env: commandEnvironment(toVariables(variables), options.allow),
    script: [...keptFunctions(functions, mark), ...keptAliases(aliases)].join('\n'),
  }
}

/** The file with the definitions, in the given folder; undefined without any. Idempotent. */
export async function storeUserShell({ script }: UserShell, folder: string): Promise<string | undefined> {
  if (script === '') return undefined
  const path = join(folder, 'shell-start.sh')
  await putFile(path, `${script}\nshopt -s expand_aliases\n`)
  return path
}

/** Everything on a separate descriptor: start files may print anything. */
const PROBE = `printf '%s\\n' "$0"; for name in $(compgen -A function); do declare -f "$name"; printf '%s-end\\n' "$0"; done; printf '%s\\n' "$0"; alias -p; printf '%s\\n' "$0"; env -0`

function runInteractive(
  env: Readonly<Record<string, string>>,
  mark: string,
  timeout_ms: number,
): Promise<string | undefined> {
  return new Promise(resolve => {
    const child = spawn('bash', ['-i', '-c', `{ ${PROBE}; } >&3 2>/dev/null; exit 0`, mark], {
      env,
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      detached: true,
    })
    let said = Buffer.alloc(0)
    const stop = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // It is gone already.
      }
    }
    const timer = setTimeout(stop, timeout_ms)
    child.stdio[3]?.on('data', (chunk: Buffer) => {
      if (said.length + chunk.length > MAX_BYTES) stop()
      else said = Buffer.concat([said, chunk])
    })
    const end = (text: string | undefined): void => {
      clearTimeout(timer)
      resolve(text)
    }
    child.once('error', () => end(undefined))
    child.once('exit', code => {
      stop()
      // Something that the start files began may hold the pipe for ever; what was written is read long before.
      const late = setTimeout(() => child.stdio[3]?.destroy(), DRAIN_MS)
      const finish = (): void => {
        clearTimeout(late)
        end(code === 0 ? said.toString('utf8') : undefined)
      }
      if (!child.stdio[3] || child.stdio[3].destroyed) finish()
      else child.stdio[3].once('close', finish)
    })
  })
}

const isKept = (name: string): boolean => !READ_ONLY_PROGRAMS.has(name) && !RESERVED.has(name)
/** Names by which commands are begun, judged or ended. */
const RESERVED = new Set([
  'eval',
  'trap',
  'exit',
  'pwd',
  'cd',
  'command',
  'builtin',
  'git',
  'sudo',
  'env',
  'exec',
])

/** `declare -f` writes each function beginning with `name () `. */
function keptFunctions(text: string, mark: string): readonly string[] {
  return text.split(`${mark}-end\n`).filter(one => {
    const name = /^([\w:.+@-]+) \(\)/.exec(one)?.[1]
    return name !== undefined && isKept(name)
  })
}

/** `alias -p` writes each as `alias name='…'`; a value of several lines is left out. */
function keptAliases(text: string): readonly string[] {
  return text.split('\n').filter(line => {
    const name = /^alias ([^=\s]+)='.*'$/.exec(line)?.[1]
    return name !== undefined && isKept(name)
  })
}

function toVariables(text: string): Readonly<Record<string, string>> {
  const rows = text.split('\0').flatMap(row => {
    const at = row.indexOf('=')
    return at > 0 ? [[row.slice(0, at), row.slice(at + 1)] as const] : []
  })
  // Set by the shell itself, for itself.
  return Object.fromEntries(rows.filter(([name]) => !['SHLVL', '_', 'PWD', 'OLDPWD'].includes(name)))
}
