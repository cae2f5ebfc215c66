/** Checks the options of `createToolwire`, before anything is opened. Every problem is a TypeError with the path. */
import { isObject } from '@toolwire/core'
import { AuthSettings, SCOPES } from '@toolwire/server'
import { BUILTIN_NAMES, nearest } from '@toolwire/tools'
import type { z } from 'zod'
import { sharedSettings } from '../shared-settings.ts'
import type { ToolwireOptions } from './toolwire-options.ts'

/** Returns what is wrong with a value, as the end of a sentence that begins with its path; undefined if nothing is. */
type OptionCheck = (value: unknown) => Problem | undefined

interface Problem {
  /** Below the option, such as `[0].name`. */
  readonly at?: string
  readonly message: string
  readonly value?: unknown
}

const isFunction = (value: unknown): boolean => typeof value === 'function'

const must =
  (message: string, isGood: (value: unknown) => boolean): OptionCheck =>
  value =>
    isGood(value) ? undefined : { message, value }

/** Never shows the value: it may be a secret. */
const mustHidden =
  (message: string, isGood: (value: unknown) => boolean): OptionCheck =>
  value =>
    isGood(value) ? undefined : { message }

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every(isText)
const text = must('must be text', isText)
const texts = must('must be a list of texts', isTexts)
const yesNo = must('must be true or false', value => typeof value === 'boolean')

/** The rules of the configuration file apply to the options that mean the same. */
const asSetting =
  (schema: z.ZodType): OptionCheck =>
  value => {
    const issue = schema.safeParse(value).error?.issues[0]
    return issue && { at: pathOf(issue.path), message: issue.message }
  }

const pathOf = (path: readonly PropertyKey[]): string =>
  path.map(part => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('')

const has = (value: unknown, ...methods: readonly string[]): boolean =>
  isObject(value) && methods.every(name => isFunction(value[name]))

function checkStore(value: unknown): Problem | undefined {
  if (value === 'memory' || has(value, 'append', 'read', 'claim', 'list', 'close')) return undefined
  const message = 'must be "memory", { sqlite: folder }, { postgres: url } or a Store'
  // An address may hold a password.
  if (!isObject(value)) return { message }
  const [name, ...others] = Object.keys(value)
  const isOne = others.length === 0 && (name === 'sqlite' || name === 'postgres')
  return isOne && isText(value[name]) ? undefined : { message }
}

function checkModels(value: unknown): Problem | undefined {
  if (isFunction(value)) return undefined
  if (!isObject(value))
    return { message: 'must be an object of models, or a function that finds them', value }
  const bad = Object.entries(value).find(([, model]) => !has(model, 'stream') && !has(model, 'doStream'))
  return bad && { at: `.${bad[0]}`, message: 'must be a model with a stream function, or one of the AI SDK' }
}

const TOOL_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

function checkTools(value: unknown): Problem | undefined {
  if (!Array.isArray(value)) return { message: 'must be a list of tools', value }
  for (const [i, tool] of value.entries()) {
    const at = `[${i}]`
    if (!has(tool, 'check', 'call', 'isReadOnly'))
      return { at, message: 'must be a tool that defineTool made' }
    const { name } = tool
    if (typeof name !== 'string' || !TOOL_NAME.test(name) || name.startsWith('mcp__'))
      return {
        at: `${at}.name`,
        message: 'must be letters, digits, _ and -, and not begin with mcp__',
        value: name,
      }
    if (value.findIndex(other => other.name === name) < i)
      return { at: `${at}.name`, message: 'must not be the name of another tool', value: name }
    try {
      void tool.input_schema
    } catch (error) {
      return { at: `${at}.input`, message: `has no JSON Schema: ${String(error)}` }
    }
  }
  return undefined
}

function checkBuiltin(value: unknown): Problem | undefined {
  if (value === 'all') return undefined
  if (!isTexts(value)) return { message: 'must be "all" or a list of names', value }
  const known: ReadonlySet<string> = new Set(BUILTIN_NAMES)
  const i = value.findIndex(name => !known.has(name))
  return i < 0
    ? undefined
    : {
        at: `[${i}]`,
        message: `must be a built-in tool${hint(value[i] ?? '', BUILTIN_NAMES)}`,
        value: value[i],
      }
}

const BASE_PATH = /^(\/[A-Za-z0-9._~-]+)+$/

const CHECKS: Readonly<Record<keyof ToolwireOptions, OptionCheck>> = {
  key: text,
  store: checkStore,
  records: must('must be a Records object', value => has(value, 'get', 'put', 'list', 'close')),
  data: text,
  models: checkModels,
  model: text,
  effort: asSetting(sharedSettings.effort),
  tools: checkTools,
  builtin: checkBuiltin,
  workspace: text,
  prompt: asSetting(sharedSettings.prompt),
  mcpServers: asSetting(sharedSettings.mcpServers),
  permissions: asSetting(sharedSettings.permissions),
  permissionMode: asSetting(sharedSettings.permissionMode),
  hooks: asSetting(sharedSettings.hooks),
  limits: checkLimits,
  basePath: must(
    'must begin with "/", have no "/" at its end and be of letters, digits, ".", "_", "~" and "-"',
    value =>
      typeof value === 'string' && (value === '' || (BASE_PATH.test(value) && !/\/\.\.?(\/|$)/.test(value))),
  ),
  authenticate: must('must be a function', isFunction),
  auth: asSetting(AuthSettings),
  apiKeys: mustHidden(
    'must be a list of texts of at least 8 characters',
    value => isTexts(value) && value.every(key => key.length >= 8),
  ),
  access: must('must be "open"', value => value === 'open'),
  allowedOrigins: texts,
  allowedHosts: texts,
  publicUrl: must(
    'must be an address with http or https',
    value => isText(value) && /^https?:/.test(value) && URL.canParse(value),
  ),
  logger: must('must have the functions info and error', value => has(value, 'info', 'error')),
  env: mustHidden(
    'must be an object of texts',
    value =>
      isObject(value) && Object.values(value).every(one => one === undefined || typeof one === 'string'),
  ),
  run: yesNo,
  ui: yesNo,
}

/** The names of limits here, and of the same settings in the configuration. */
export const LIMIT_SETTINGS = {
  max_turns: 'maxTurns',
  max_cost_usd: 'maxCostUsd',
  max_total_tokens: 'maxTotalTokens',
  max_duration_ms: 'maxDurationMs',
  fallback_models: 'fallbackModels',
} as const

function checkLimits(value: unknown): Problem | undefined {
  if (!isObject(value)) return { message: 'must be an object', value }
  for (const [name, limit] of Object.entries(value)) {
    if (!isLimit(name))
      return { at: `.${name}`, message: `is no limit${hint(name, Object.keys(LIMIT_SETTINGS))}` }
    const found = limit === undefined ? undefined : asSetting(sharedSettings[LIMIT_SETTINGS[name]])(limit)
    if (found) return { ...found, at: `.${name}${found.at ?? ''}`, value: limit }
  }
  return undefined
}

const isLimit = (name: string): name is keyof typeof LIMIT_SETTINGS => Object.hasOwn(LIMIT_SETTINGS, name)

const isOption = (name: string): name is keyof ToolwireOptions => Object.hasOwn(CHECKS, name)

/** Throws TypeError for the first option that cannot work. Opens and reads nothing. */
export function readOptions(options: ToolwireOptions): ToolwireOptions {
  if (!isObject(options)) throw new TypeError('createToolwire takes an object of options.')
  for (const [name, value] of Object.entries(options)) {
    if (!isOption(name))
      throw new TypeError(`"${name}" is no option of createToolwire${hint(name, Object.keys(CHECKS))}.`)
    const problem = value === undefined ? undefined : CHECKS[name](value)
    if (problem) throw new TypeError(`${name}${problem.at ?? ''} ${problem.message}${shown(problem)}.`)
  }
  checkTogether(options)
  return options
}

const WORKING = new Set([
  'Bash',
  'Glob',
  'Grep',
  'LS',
  'Read',
  'Edit',
  'Write',
  'NotebookRead',
  'NotebookEdit',
])

function checkTogether({
  run,
  store = 'memory',
  builtin = [],
  workspace,
  tools = [],
  ui,
  basePath = '',
}: ToolwireOptions): void {
  const isShared = typeof store === 'object' && ('postgres' in store || 'isLeaseExpired' in store)
  if (run === false && !isShared)
    throw new TypeError('run: false needs a store that another process runs: { postgres: url }.')
  if (workspace === undefined && (builtin === 'all' || builtin.some(name => WORKING.has(name))))
    throw new TypeError('workspace must name the folder that the tools of builtin work in.')
  const taken: ReadonlySet<string> = new Set(builtin === 'all' ? BUILTIN_NAMES : builtin)
  const i = tools.findIndex(tool => taken.has(tool.name))
  if (i >= 0)
    throw new TypeError(
      `tools[${i}].name must not be the name of a built-in tool, but is "${tools[i]?.name}".`,
    )
  if (ui === true && basePath !== '')
    throw new TypeError('ui: true needs an empty basePath: the web app is at the root.')
}

const MAX_SHOWN = 80

function shown(problem: Problem): string {
  if (!('value' in problem)) return ''
  const written = JSON.stringify(problem.value) ?? String(problem.value)
  return `, but is ${written.length > MAX_SHOWN ? `${written.slice(0, MAX_SHOWN)}…` : written}`
}

function hint(name: string, known: readonly string[]): string {
  const [near] = nearest(name, known)
  return near === undefined ? '' : `; did you mean "${near}"?`
}

/** Scopes that `as` may be given. Throws TypeError for another one. */
export function requireScopes(scopes: readonly string[]): void {
  const bad = scopes.find(scope => !SCOPES.some(one => one === scope))
  if (bad !== undefined) throw new TypeError(`scopes must be of ${SCOPES.join(', ')}, but has "${bad}".`)
}
