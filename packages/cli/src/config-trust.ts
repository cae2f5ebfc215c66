/**
 * Consent to a configuration file that was found in a folder. Such a file can name code to run and widen what tools may
 * do, so the user allows its content once. The list of allowed files is with the user, never in the folder.
 */
import { createHash } from 'node:crypto'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { isReplayId } from '@toolwire/models'
import { toAbsolute } from './config.ts'
import type { ConfigFile, ConfigSources } from './config-file.ts'
import { ExitError } from './exit.ts'
import { loadedScripts, SCRIPT } from './loaded-scripts.ts'

/** Settings that a file may have without consent: they run nothing and allow nothing. All others need it. */
const HARMLESS: ReadonlySet<string> = new Set([
  '$schema',
  'port',
  'model',
  'fallbackModels',
  'effort',
  'maxTurns',
  'maxCostUsd',
  'maxTotalTokens',
  'maxDurationMs',
  'modelSilenceMs',
  'modelThinkingMs',
  'modelRetries',
  'modelRetryMs',
  'compaction',
  'approvalTimeoutMs',
  'clientToolTimeoutMs',
  'leaseMs',
  'drainMs',
  'thinkTool',
  'architect',
  'media',
  'demoPaceMs',
])

export interface TrustOptions extends ConfigSources {
  /** Asks the user and resolves with the answer. Undefined where no user can be asked. */
  readonly ask?: ((question: string) => Promise<boolean>) | undefined
  /** The user allows the file as it is now. */
  readonly isAllowed?: boolean
}

/** True when the user named the file, allowed its present content, or it has only settings that need no consent. */
export function isTrusted(file: ConfigFile, options: ConfigSources): boolean {
  if (file.isNamed || settingsToAllow(file).length === 0) return true
  return readList(trustedListPath(options.env))[realpathSync(file.path)] === digestOf(file, options.cwd)
}

/** Resolves when the file may be used. Throws ExitError (usage) when the user has not allowed its content. */
export async function requireTrust(file: ConfigFile, options: TrustOptions): Promise<void> {
  if (isTrusted(file, options)) return
  const settings = settingsToAllow(file)
  const digest = digestOf(file, options.cwd)
  const list = trustedListPath(options.env)
  const key = realpathSync(file.path)
  const isAllowed = options.isAllowed === true || (await options.ask?.(describe(file, settings)))
  if (!isAllowed)
    throw new ExitError(
      'usage',
      `${file.path} sets ${settings.join(', ')}, and you have not allowed its present content. Read it, then run "toolwire trust", or start with --trust-config or --config ${file.path}.`,
    )
  remember(list, key, digest)
}

/** Allows the file as it is now, or forgets that it was allowed. Throws ExitError (usage) when there is no such file. */
export function setTrust(file: ConfigFile, options: ConfigSources, isAllowed: boolean): string {
  if (file.text === '') throw new ExitError('usage', `There is no configuration file ${file.path}.`)
  const digest = isAllowed ? digestOf(file, options.cwd) : undefined
  const list = trustedListPath(options.env)
  if (!remember(list, realpathSync(file.path), digest))
    throw new ExitError('usage', `The list of allowed files ${list} cannot be written.`)
  return describe(file, settingsToAllow(file))
}

/** Also every setting that names a recording: its folder would choose a file, and what a model says. */
const settingsToAllow = ({ values }: ConfigFile): readonly string[] =>
  Object.keys(values).filter(name => !HARMLESS.has(name) || textsIn(values[name]).some(isRecording))

/** As in a list of ids in one text. */
const isRecording = (text: string): boolean => text.split(',').some(id => isReplayId(id.trim()))

/** Characters of one setting that are shown. */
const MAX_SHOWN = 2000

/** The settings as the user is to judge them, without characters that could change the terminal. */
function describe({ path, values }: ConfigFile, settings: readonly string[]): string {
  const lines = settings.map(name => {
    const text = JSON.stringify(values[name]) ?? ''
    const rest = text.length - MAX_SHOWN
    return `  ${name}: ${text.slice(0, MAX_SHOWN)}${rest > 0 ? ` … and ${rest} more characters` : ''}`
  })
  return [
    `${path} can run programs, change what tools may do, and choose which addresses get your keys:`,
    ...lines,
  ]
    .map(line => line.replaceAll(/\p{C}/gu, '?'))
    .join('\n')
}

/** Changes with the file and with the code that it names, directly or by other scripts in its folder. */
function digestOf(file: ConfigFile, cwd: string): string {
  const { modelsModule, tools, ...others } = file.values
  const modules = [modelsModule, tools].flatMap(textsIn).flatMap(text => text.split(','))
  const folder = dirname(realpathSync(file.path))
  const scripts = settingsToAllow({ ...file, values: others })
    .flatMap(name => textsIn(others[name]))
    .flatMap(text => [text, ...text.split(/[\s"'=;&|#]+/)])
    .flatMap(word => [word, ...(COMMAND_FILES.get(word) ?? [])])
    .map(word => toAbsolute(word, cwd))
    .filter(path => isScriptIn(folder, path))
  const named = [...modules.flatMap(path => filesAt(toAbsolute(path.trim(), cwd))), ...scripts]
  const paths = loadedScripts(named, {
    isReadable: path => isScriptIn(folder, path),
    most: MAX_SCRIPTS,
    onTooMany,
  })
  const parts = [...paths].sort().map(path => [path, sha256(readFileSync(path))])
  return sha256(JSON.stringify([file.text, parts]))
}

/** Every text in a setting. */
export function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

const MAKEFILES = ['Makefile', 'makefile', 'GNUmakefile']
/** Files in which programs find the commands that they run. */
const COMMAND_FILES: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...['npm', 'npx', 'pnpm', 'yarn', 'bun'].map(name => [name, ['package.json']] as [string, string[]]),
  ['make', MAKEFILES],
  ['just', ['justfile', 'Justfile', '.justfile']],
])
const COMMAND_FILE_NAMES: ReadonlySet<string> = new Set([...COMMAND_FILES.values()].flat())

const MAX_SCRIPTS = 2_000
const onTooMany = (): never => {
  throw new ExitError(
    'usage',
    `The configuration file names scripts that load more than ${MAX_SCRIPTS} others; start with --config instead.`,
  )
}

/** Data that a command works on may change; what it runs may not. Files elsewhere do not come with the folder. */
function isScriptIn(folder: string, path: string): boolean {
  const found = statOf(path)
  if (!isReadable(path, found)) return false
  const place = attempt(() => realpathSync(path)) ?? path
  const isProgram =
    SCRIPT.test(path) || COMMAND_FILE_NAMES.has(basename(path)) || ((found?.mode ?? 0) & 0o111) !== 0
  return isProgram && place.startsWith(`${folder}/`)
}

/** A file that is larger cannot be allowed. */
const MAX_BYTES = 64 * 1024 * 1024

/** The file itself, or the files right inside of a folder. */
function filesAt(path: string): readonly string[] {
  const found = statOf(path)
  if (found?.isDirectory()) return namesIn(path).filter(inside => isReadable(inside, statOf(inside)))
  return isReadable(path, found) ? [path] : []
}

function isReadable(path: string, found: Stats | undefined): boolean {
  if (!found?.isFile()) return false
  if (found.size > MAX_BYTES)
    throw new ExitError('usage', `${path} is too large to be allowed; start with --config instead.`)
  return true
}

const statOf = (path: string): Stats | undefined => attempt(() => statSync(path))
const namesIn = (folder: string): readonly string[] =>
  attempt(() => readdirSync(folder).map(name => join(folder, name))) ?? []

function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')

/** The digest of the content that is allowed, by the path of the file. */
type TrustedList = Readonly<Record<string, string>>

function trustedListPath(env: ConfigSources['env']): string {
  const given = env['XDG_CONFIG_HOME']
  const folder = given && isAbsolute(given) ? given : join(homedir(), '.config')
  return join(folder, 'toolwire', 'trusted-config.json')
}

/** Empty if missing or damaged: then the user is asked again. */
function readList(path: string): TrustedList {
  const value = attempt<unknown>(() => JSON.parse(readFileSync(path, 'utf8')))
  return typeof value === 'object' && value !== null ? (value as TrustedList) : {}
}

/** False when the list cannot be written. */
function remember(path: string, key: string, digest: string | undefined): boolean {
  const { [key]: _, ...others } = readList(path)
  const list = digest === undefined ? others : { ...others, [key]: digest }
  return (
    attempt(() => {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      const draft = `${path}.${process.pid}`
      rmSync(draft, { force: true })
      writeFileSync(draft, `${JSON.stringify(list, null, 2)}\n`, { flag: 'wx', mode: 0o600 })
      renameSync(draft, path)
      return true
    }) ?? false
  )
}
