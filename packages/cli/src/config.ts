/**
 * Configuration from flags, environment, toolwire.config.json and defaults, in this
 * order. Every bad value is one sentence that names where it came from.
 */
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { HooksConfig } from '@toolwire/runtime'
import { z } from 'zod'
import { ExitError } from './exit.ts'

const port = z.coerce
  .number('must be a whole number from 0 to 65535')
  .int('must be a whole number from 0 to 65535')
  .min(0, 'must be a whole number from 0 to 65535')
  .max(65535, 'must be a whole number from 0 to 65535')
const text = z.string('must be text').min(1, 'must not be empty')
const milliseconds = z.coerce
  .number('must be a number of milliseconds')
  .int('must be a whole number')
  .min(1000, 'must be at least 1000')
const rules = z
  .array(
    z.union([
      text,
      z.strictObject({
        rule: text,
        message: text.optional(),
        match: z.array(text).optional(),
        not_match: z.array(text).optional(),
      }),
    ]),
  )
  .optional()
const list = z.union([
  z.array(text),
  text.transform(s =>
    s
      .split(',')
      .map(part => part.trim())
      .filter(Boolean),
  ),
])

const PERMISSION_MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const

const ConfigSchema = z.strictObject({
  port: port.default(8000),
  host: text.default('127.0.0.1'),
  data: text.default('.toolwire'),
  workspace: text.optional(),
  model: text.optional(),
  engine: z.enum(['native', 'claude-agent-sdk'], 'must be native or claude-agent-sdk').default('native'),
  permissionMode: z
    .enum(PERMISSION_MODES, `must be one of ${PERMISSION_MODES.join(', ')}`)
    .default('default'),
  apiKeys: list.default([]),
  allowedHosts: list.default([]),
  allowedOrigins: list.default([]),
  /** Server tools that requests of the OpenAI and Anthropic wires may use without asking; `*` for all. */
  gatewayTools: list.default([]),
  maxTurns: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .default(50),
  /** How long approvals and client tools stay open; for ever when absent. */
  approvalTimeoutMs: milliseconds.optional(),
  clientToolTimeoutMs: milliseconds.optional(),
  /** MCP servers as other hosts configure them; only in the file. */
  mcpServers: z.record(z.string(), z.unknown(), 'must be an object').optional(),
  /** Permission rules; only in the file. */
  permissions: z
    .strictObject({ allow: rules, ask: rules, deny: rules }, 'must hold allow, ask and deny lists')
    .optional(),
  /** Hooks around tool calls; only in the file. */
  hooks: z
    .custom<HooksConfig>(value => typeof value === 'object' && value !== null, 'must be an object')
    .optional(),
  /** Folder that gets redacted copies of the provider's streams. */
  record: text.optional(),
  demoPaceMs: z.coerce
    .number('must be a number')
    .min(0, 'must not be negative')
    .max(10_000, 'must be at most 10000')
    .default(12),
})
export type Config = z.infer<typeof ConfigSchema>

type Key = keyof Config

/** Settings that only the file can hold have no variable. */
const ENVIRONMENT: Readonly<Partial<Record<Key, string>>> = {
  port: 'TOOLWIRE_PORT',
  host: 'TOOLWIRE_HOST',
  data: 'TOOLWIRE_DATA',
  workspace: 'TOOLWIRE_WORKSPACE',
  model: 'TOOLWIRE_MODEL',
  engine: 'TOOLWIRE_ENGINE',
  permissionMode: 'TOOLWIRE_PERMISSION_MODE',
  apiKeys: 'TOOLWIRE_API_KEYS',
  allowedHosts: 'TOOLWIRE_ALLOWED_HOSTS',
  allowedOrigins: 'TOOLWIRE_ALLOWED_ORIGINS',
  gatewayTools: 'TOOLWIRE_GATEWAY_TOOLS',
  maxTurns: 'TOOLWIRE_MAX_TURNS',
  approvalTimeoutMs: 'TOOLWIRE_APPROVAL_TIMEOUT_MS',
  clientToolTimeoutMs: 'TOOLWIRE_CLIENT_TOOL_TIMEOUT_MS',
  record: 'TOOLWIRE_RECORD',
  demoPaceMs: 'TOOLWIRE_DEMO_PACE_MS',
}

export interface ConfigSources {
  /** Flags that were given, by configuration name; `config` is the path of the file. */
  readonly flags: Readonly<Record<string, unknown>>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

/** Throws ExitError (usage) for the first value that cannot work. Paths come back absolute. */
export function readConfig(sources: ConfigSources): Config {
  const file = readConfigFile(sources)
  const values: Record<string, unknown> = {}
  const origin: Record<string, string> = {}
  for (const key of Object.keys(ConfigSchema.shape) as Key[]) {
    const variable = ENVIRONMENT[key]
    const fromEnv = variable === undefined ? undefined : sources.env[variable]
    if (sources.flags[key] !== undefined) {
      values[key] = sources.flags[key]
      origin[key] = `flag --${key.replace(/[A-Z]/g, c => `-${c.toLowerCase()}`)}`
    } else if (fromEnv !== undefined && fromEnv !== '') {
      values[key] = fromEnv
      origin[key] = `variable ${variable}`
    } else if (file.values[key] !== undefined) {
      values[key] = file.values[key]
      origin[key] = `"${key}" in ${file.path}`
    }
  }
  const parsed = ConfigSchema.safeParse(values)
  if (!parsed.success) throw new ExitError('usage', explain(parsed.error, values, origin))
  return absolute(parsed.data, sources.cwd)
}

function readConfigFile(sources: ConfigSources): {
  readonly path: string
  readonly values: Record<string, unknown>
} {
  const named = sources.flags['config'] ?? sources.env['TOOLWIRE_CONFIG']
  const path = resolve(
    sources.cwd,
    typeof named === 'string' && named !== '' ? named : 'toolwire.config.json',
  )
  if (!existsSync(path)) {
    if (named) throw new ExitError('usage', `The configuration file ${path} does not exist; check --config.`)
    return { path, values: {} }
  }
  let value: unknown
  try {
    value = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new ExitError('usage', `The configuration file ${path} cannot be read as JSON: ${why}`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ExitError('usage', `The configuration file ${path} must hold one JSON object.`)
  const unknown = Object.keys(value).find(key => key !== '$schema' && !(key in ConfigSchema.shape))
  if (unknown !== undefined)
    throw new ExitError(
      'usage',
      `The configuration file ${path} has an unknown setting "${unknown}"; known are ${Object.keys(ConfigSchema.shape).join(', ')}.`,
    )
  return { path, values: value as Record<string, unknown> }
}

function explain(error: z.ZodError, values: Record<string, unknown>, origin: Record<string, string>): string {
  const issue = error.issues[0]
  const key = String(issue?.path[0] ?? '')
  const given = JSON.stringify(values[key])
  return `${key} ${issue?.message ?? 'is wrong'}, but is ${given} (${origin[key] ?? 'default'}).`
}

function absolute(config: Config, cwd: string): Config {
  const toPath = (path: string): string => resolve(cwd, path.replace(/^~(?=$|\/)/, homedir()))
  return {
    ...config,
    data: toPath(config.data),
    workspace: config.workspace === undefined ? undefined : toPath(config.workspace),
    record: config.record === undefined ? undefined : toPath(config.record),
  }
}
