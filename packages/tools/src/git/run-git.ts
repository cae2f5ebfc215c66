/**
 * The one way in which the product itself starts git. A repository can name programs that git runs: hooks,
 * filters, drivers, monitors. All of them are switched off, the environment holds no secrets, and git runs in
 * the sandbox where there is one. What a process changes between two steps gains no more than it had.
 */
import { execFile } from 'node:child_process'
import type { ToolContext } from '@toolwire/core'
import { canonicalPath, isInside, isInsideRoots } from '../files/resolve-path.ts'
import { createPrepareCommand } from '../shell/prepare-command.ts'
import type { SandboxOptions } from '../shell/sandbox.ts'
import { type GitSetting, gitEnvironment, searchPathOutside } from './git-environment.ts'

export interface GitPlace {
  readonly context: Pick<ToolContext, 'cwd' | 'roots' | 'artifacts' | 'signal'>
  readonly sandbox?: SandboxOptions | undefined
  /** The working directory; that of the call when absent. */
  readonly cwd?: string
  /** Directories beside the workspace that it may write, where there is a sandbox. */
  readonly writable?: readonly string[]
  readonly timeout_ms?: number
}

/** A name in the configuration that applies in a directory. */
interface GitName {
  /** Section and variable in lower case. */
  readonly key: string
  /** The file is the user's or the machine's, and the workspace cannot change it. */
  readonly isTrusted: boolean
}

export interface Git {
  readonly names: readonly GitName[]
  /** The output of git, without the last line end. Rejects with git's error if it fails. */
  readonly run: (...args: readonly string[]) => Promise<string>
}

const TIMEOUT_MS = 600_000
const MAX_BYTES = 64 * 1024 * 1024
/** A file of settings may be anything, also one that never ends. */
const LIST_TIMEOUT_MS = 10_000
const MAX_LIST_BYTES = 1_000_000

/** Rejects if git is missing or too old for configuration by environment, or without a directory. */
export async function openGit(place: GitPlace): Promise<Git> {
  const context = { ...place.context, cwd: place.cwd ?? place.context.cwd }
  const sandbox = place.sandbox && {
    ...place.sandbox,
    network: false,
    writable: [...(place.sandbox.writable ?? []), ...(place.writable ?? [])],
  }
  const prepared = await createPrepareCommand({ sandbox })(
    { outside_sandbox: false, outlives: false },
    context,
  )
  if ('problem' in prepared) throw new Error(prepared.problem.message)
  const { env, wrap = argv => argv } = prepared
  const path = searchPathOutside(env['PATH'] ?? '', dir => isInsideRoots(dir, context.roots))
  const { timeout_ms = TIMEOUT_MS } = place
  const run =
    (settings: readonly GitSetting[], timeout = timeout_ms, maxBuffer = MAX_BYTES): Git['run'] =>
    (...args) =>
      start(wrap(['git', ...args]), {
        cwd: context.cwd,
        env: gitEnvironment({ ...env, PATH: path, LC_ALL: 'C' }, settings),
        timeout,
        maxBuffer,
        signal: context.signal,
      })
  const list = await run([], LIST_TIMEOUT_MS, MAX_LIST_BYTES)(...LIST)
  const names = toNames(list, context.roots[0] ?? context.cwd)
  if (names.some(({ key, isTrusted }) => !isTrusted && key.startsWith('includeif.')))
    throw new Error('The configuration of this repository depends on conditions (includeIf).')
  // Each once, however often the files repeat it.
  return { names, run: run([...new Map(names.flatMap(({ key }) => toOverrides(key)))]) }
}

const LIST = ['config', '--list', '--show-scope', '--show-origin', '--name-only', '-z']

interface GitProcessOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeout: number
  readonly maxBuffer: number
  readonly signal: AbortSignal
}

function start([program = 'git', ...args]: readonly string[], options: GitProcessOptions): Promise<string> {
  const all = { ...options, encoding: 'buffer', killSignal: 'SIGKILL' } as const
  return new Promise((resolve, reject) => {
    execFile(program, args, all, (error, stdout, stderr) => {
      if (error) return reject(new Error(stderr.toString('utf8').trim().slice(0, 4000) || error.message))
      try {
        resolve(STRICT.decode(stdout).replace(/\n$/, ''))
      } catch {
        reject(new Error('Git printed a name that is not UTF-8.'))
      }
    })
  })
}

/** A name that cannot be written back exactly could not be overridden. */
const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Triples of scope, origin and key, each ended by NUL. */
function toNames(list: string, workspace: string): readonly GitName[] {
  const parts = list.split('\0')
  const isOwn = createOwnFileCheck(workspace)
  const names = Array.from({ length: Math.floor(parts.length / 3) }, (_, i) => {
    const [scope = '', origin = '', key = ''] = parts.slice(3 * i, 3 * i + 3)
    return { key, isTrusted: isTrusted(scope, origin, isOwn), scope }
  })
  // A git older than 2.31 passes the settings of the environment over.
  if (!names.some(({ scope, key }) => scope === 'command' && key === 'core.hookspath'))
    throw new Error('Git 2.31 or newer is needed.')
  return names
}

function isTrusted(scope: string, origin: string, isOwn: (file: string) => boolean): boolean {
  if (scope === 'command') return true
  const file = /^file:(\/.*)$/s.exec(origin)?.[1]
  return (scope === 'global' || scope === 'system') && file !== undefined && !isOwn(file)
}

/** True if a file is in the workspace, which may be the user's home. Checks each file once. */
function createOwnFileCheck(workspace: string): (file: string) => boolean {
  const root = canonicalPath(workspace)
  const known = new Map<string, boolean>()
  return file => {
    const own = known.get(file) ?? isInside(canonicalPath(file), root)
    known.set(file, own)
    return own
  }
}

const FILTER = /^filter\.(.*)\.(?:clean|smudge|process|required)$/s
const PROGRAM =
  /^(?:diff\.external|diff\..*\.(?:command|textconv)|merge\..*\.driver|gpg\..*program|gpg\..*command|remote\..*\.(?:uploadpack|receivepack)|tar\..*\.command|trailer\..*\.(?:command|cmd)|uploadpack\.packobjectshook)$/s

/** Settings that switch off the program of a key. */
function toOverrides(key: string): readonly GitSetting[] {
  const filter = FILTER.exec(key)?.[1]
  if (filter !== undefined)
    return [
      ...['clean', 'smudge', 'process'].map(one => [`filter.${filter}.${one}`, ''] as const),
      [`filter.${filter}.required`, 'false'],
    ]
  const hook = /^hook\.(.*)\.(?:command|event|enabled)$/s.exec(key)?.[1]
  if (hook !== undefined)
    return [
      [`hook.${hook}.enabled`, 'false'],
      [`hook.${hook}.command`, 'true'],
    ]
  if (/^credential\..*\.helper$/s.test(key)) return [[key, '']]
  return PROGRAM.test(key) ? [[key, 'false']] : []
}
