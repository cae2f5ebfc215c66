/**
 * Configuration from flags, environment, toolwire.config.json and defaults, in this
 * order. Every bad value is one sentence that names where it came from.
 */
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { AuthSettings } from '@toolwire/server'
import { z } from 'zod'
import { type ConfigFile, type ConfigSources, readConfigFile } from './config-file.ts'
import { ExitError } from './exit.ts'
import {
  AliasesSetting,
  PriceSetting,
  type ProviderSettings,
  ProvidersSetting,
} from './provider-keys/provider-settings.ts'
import { count, list, milliseconds, sharedSettings, text } from './shared-settings.ts'

const port = z.coerce
  .number('must be a whole number from 0 to 65535')
  .int('must be a whole number from 0 to 65535')
  .min(0, 'must be a whole number from 0 to 65535')
  .max(65535, 'must be a whole number from 0 to 65535')
const bytes = count.min(1_048_576, 'must be at least 1048576')
const yesNo = z.union(
  [z.boolean(), z.enum(['true', 'false']).transform(word => word === 'true')],
  'must be true or false',
)
const SANDBOX_HINT =
  'must be auto, off, required, or an object of network, writable, hidden, required and escape'
const sandboxDetails = z.strictObject({
  network: z.boolean().optional(),
  writable: z.array(text).optional(),
  hidden: z.array(text).optional(),
  required: z.boolean().optional(),
  escape: z.boolean().optional(),
})
const agentType = z.strictObject({
  description: text,
  system: text,
  tools: z.array(text).optional(),
  model: text.optional(),
  max_turns: count.optional(),
})

const ConfigSchema = z.strictObject({
  ...sharedSettings,
  port: port.default(8000),
  host: text.default('127.0.0.1'),
  data: text.default('.toolwire'),
  /** Address of a PostgreSQL database for the sessions, shared by any number of servers. */
  database: text.optional(),
  /** With a database: lease duration of a silent server, and how long runs may continue after SIGTERM. */
  leaseMs: milliseconds.default(15_000),
  drainMs: z.coerce.number('must be a number').min(0, 'must not be negative').default(10_000),
  workspace: text.optional(),
  model: text.optional(),
  engine: z.enum(['native', 'claude-agent-sdk'], 'must be native or claude-agent-sdk').default('native'),
  apiKeys: list.default([]),
  /** Identity providers whose JSON web tokens sign callers in. */
  auth: AuthSettings.optional(),
  /** Streams that may be open on one server: in all, of one API key, and of all keys of one owner. */
  maxStreams: count.optional(),
  maxStreamsPerKey: count.optional(),
  maxStreamsPerOwner: count.optional(),
  allowedHosts: list.default([]),
  allowedOrigins: list.default([]),
  /** Server tools that requests of the OpenAI and Anthropic wires may use without asking; `*` for all. */
  gatewayTools: list.default([]),
  /** Secrets for what clients of the Responses API carry for the server: the first seals, all open. */
  sealSecrets: list.default([]),
  /** Models without a known price: runs with a budget in money may ask them, may not, or count them at this price. */
  unpricedModels: z
    .union(
      [z.enum(['allow', 'refuse']), PriceSetting],
      'must be allow, refuse, or an object of input and output in dollars per million tokens',
    )
    .default('allow'),
  /** Maximum time without a byte from a provider, and without content. */
  modelSilenceMs: count.optional(),
  modelThinkingMs: count.optional(),
  /** Retries of a request that failed before any content, and the first delay. */
  modelRetries: z.coerce
    .number('must be a number')
    .int('must be a whole number')
    .min(0, 'must not be negative')
    .max(10, 'must be at most 10')
    .optional(),
  modelRetryMs: count.optional(),
  /** `auto` compacts a history that outgrew its model; `off` fails the run. */
  compaction: z.enum(['auto', 'off'], 'must be auto or off').default('auto'),
  /** Folders that hold skills for all sessions; only in the file. */
  skills: z.strictObject({ folders: z.array(text).max(20).default([]) }).default({ folders: [] }),
  /** Tools that Anthropic runs itself, as its API defines them, for every request to its models; only in the file. */
  providerTools: z
    .array(z.looseObject({ type: text, name: text }), 'must be a list of tools with type and name')
    .default([]),
  /** Named providers of models beside the built-in ones, or changes of these. */
  providers: ProvidersSetting.default({}),
  /** Names of several models each: a session stays with one of them, and the others are asked after it. */
  aliases: AliasesSetting.default({}),
  /** Hosts of the own network that may be given as the address of a provider while the server runs. */
  providerHosts: list.default([]),
  /** A JavaScript module whose export `models` holds further models by their ids. */
  modelsModule: text.optional(),
  /** Time that approvals and client tools stay open; unlimited if absent. */
  approvalTimeoutMs: milliseconds.optional(),
  clientToolTimeoutMs: milliseconds.optional(),
  /** Tools and agents that other hosts may use over MCP; nothing is offered without it. Only in the file. */
  mcpServe: z
    .strictObject({ tools: z.array(text).default([]), agents: z.array(text).default([]) })
    .optional(),
  /** Files, or folders of files, with users' own tools. */
  tools: list.default([]),
  /** Kinds and limits of agents that the Agent tool may start; only in the file. */
  agents: z
    .strictObject(
      {
        maxDepth: count.max(5, 'must be at most 5').optional(),
        maxTurns: count.optional(),
        maxAgents: count.optional(),
        maxCostUsd: z.number('must be a number of dollars').positive('must be more than 0').optional(),
        types: z
          .record(text, agentType)
          .refine(types => !('main' in types), "must not hold main, which is the session's own agent")
          .optional(),
      },
      'must hold maxDepth, maxTurns, maxAgents, maxCostUsd and types',
    )
    .default({}),
  /** Enables notes for later sessions (MemoryRead, MemoryWrite); `commands` adds Anthropic's memory commands. */
  memory: z.union([yesNo, z.literal('commands')], 'must be true, false or commands').default(false),
  /** Offers Think: `auto` omits it for models that think by themselves. */
  thinkTool: z.enum(['auto', 'always', 'never'], 'must be auto, always or never').default('auto'),
  /** Commands see the functions, aliases and variables of the user's own shell. */
  shellProfile: yesNo.default(true),
  /** Commands run in a sandbox: `auto` (or `on`) where the machine has one, `required` never without; details only in the file. */
  sandbox: z.union([z.enum(['auto', 'on', 'off', 'required']), sandboxDetails], SANDBOX_HINT).default('auto'),
  /** Commands that are asked about files after a change, by name; only in the file. */
  diagnostics: z
    .array(z.strictObject({ glob: text, command: text }), 'must be a list of glob and command')
    .optional(),
  /** Concurrent calls of an agent, and the size of an output for the model; only in the file. */
  calls: z
    .strictObject(
      {
        parallel: count.max(100, 'must be at most 100').optional(),
        outputChars: count
          .min(4_000, 'must be at least 4000')
          .max(128_000, 'must be at most 128000')
          .optional(),
        outputLines: count.min(10, 'must be at least 10').optional(),
        reap: z.boolean('must be true or false').optional(),
      },
      'must hold parallel, outputChars, outputLines and reap',
    )
    .default({}),
  /** Bytes that outputs, downloads and undo contents of one call, one session and one owner may take; only in the file. */
  storage: z
    .strictObject(
      {
        callBytes: bytes.optional(),
        sessionBytes: bytes.optional(),
        ownerBytes: bytes.optional(),
        recordBytes: bytes.optional(),
      },
      'must hold callBytes, sessionBytes, ownerBytes and recordBytes',
    )
    .default({}),
  /** Earlier messages that a page brings to a new chat. */
  importHistory: z.enum(['quote', 'drop', 'refuse'], 'must be quote, drop or refuse').default('quote'),
  /** Hours after which idle sessions of responses with `store: false` are removed; they stay when absent. */
  unstoredHours: z.coerce.number('must be a number').min(0, 'must not be negative').optional(),
  /** Offers the Architect tool. */
  architect: yesNo.default(false),
  /** Offers StickerRequest: a form that the user fills in at the client. */
  stickerRequest: yesNo.default(false),
  /** Limits on images and documents of one model request; only in the file. */
  media: z
    .strictObject({ count: count.optional(), total: count.optional(), each: count.optional() })
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

/** Settings as values, with the defaults of the others. Throws ZodError. */
export const toConfig = (values: Readonly<Partial<Record<keyof Config, unknown>>>): Config =>
  ConfigSchema.parse(values)

/** The JSON Schema of the configuration file. */
export const configJsonSchema = (): object => {
  const { properties, ...rest } = z.toJSONSchema(ConfigSchema, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
  })
  return { ...rest, properties: { $schema: { type: 'string' }, ...properties } }
}

type Key = keyof Config

/** Settings that only the file can hold have no variable. */
const ENVIRONMENT: Readonly<Partial<Record<Key, string>>> = {
  port: 'TOOLWIRE_PORT',
  host: 'TOOLWIRE_HOST',
  data: 'TOOLWIRE_DATA',
  database: 'DATABASE_URL',
  leaseMs: 'TOOLWIRE_LEASE_MS',
  drainMs: 'TOOLWIRE_DRAIN_MS',
  workspace: 'TOOLWIRE_WORKSPACE',
  model: 'TOOLWIRE_MODEL',
  engine: 'TOOLWIRE_ENGINE',
  permissionMode: 'TOOLWIRE_PERMISSION_MODE',
  effort: 'TOOLWIRE_EFFORT',
  apiKeys: 'TOOLWIRE_API_KEYS',
  auth: 'TOOLWIRE_AUTH',
  maxStreams: 'TOOLWIRE_MAX_STREAMS',
  maxStreamsPerKey: 'TOOLWIRE_MAX_STREAMS_PER_KEY',
  maxStreamsPerOwner: 'TOOLWIRE_MAX_STREAMS_PER_OWNER',
  allowedHosts: 'TOOLWIRE_ALLOWED_HOSTS',
  allowedOrigins: 'TOOLWIRE_ALLOWED_ORIGINS',
  gatewayTools: 'TOOLWIRE_GATEWAY_TOOLS',
  sealSecrets: 'TOOLWIRE_SEAL_SECRETS',
  maxTurns: 'TOOLWIRE_MAX_TURNS',
  fallbackModels: 'TOOLWIRE_FALLBACK_MODELS',
  maxCostUsd: 'TOOLWIRE_MAX_COST_USD',
  maxTotalTokens: 'TOOLWIRE_MAX_TOTAL_TOKENS',
  unpricedModels: 'TOOLWIRE_UNPRICED_MODELS',
  maxDurationMs: 'TOOLWIRE_MAX_DURATION_MS',
  modelSilenceMs: 'TOOLWIRE_MODEL_SILENCE_MS',
  modelThinkingMs: 'TOOLWIRE_MODEL_THINKING_MS',
  modelRetries: 'TOOLWIRE_MODEL_RETRIES',
  modelRetryMs: 'TOOLWIRE_MODEL_RETRY_MS',
  compaction: 'TOOLWIRE_COMPACTION',
  providers: 'TOOLWIRE_PROVIDERS',
  aliases: 'TOOLWIRE_ALIASES',
  providerHosts: 'TOOLWIRE_PROVIDER_HOSTS',
  modelsModule: 'TOOLWIRE_MODELS_MODULE',
  approvalTimeoutMs: 'TOOLWIRE_APPROVAL_TIMEOUT_MS',
  clientToolTimeoutMs: 'TOOLWIRE_CLIENT_TOOL_TIMEOUT_MS',
  tools: 'TOOLWIRE_TOOLS',
  importHistory: 'TOOLWIRE_IMPORT_HISTORY',
  unstoredHours: 'TOOLWIRE_UNSTORED_HOURS',
  architect: 'TOOLWIRE_ARCHITECT',
  stickerRequest: 'TOOLWIRE_STICKER_REQUEST',
  memory: 'TOOLWIRE_MEMORY',
  thinkTool: 'TOOLWIRE_THINK_TOOL',
  shellProfile: 'TOOLWIRE_SHELL_PROFILE',
  sandbox: 'TOOLWIRE_SANDBOX',
  record: 'TOOLWIRE_RECORD',
  demoPaceMs: 'TOOLWIRE_DEMO_PACE_MS',
}

/** Throws ExitError (usage) for the first value that cannot work. Paths come back absolute. */
export function readConfig(sources: ConfigSources, file: ConfigFile = readConfigFile(sources)): Config {
  const unknown = Object.keys(file.values).find(
    key => key !== '$schema' && !Object.hasOwn(ConfigSchema.shape, key),
  )
  if (unknown !== undefined)
    throw new ExitError(
      'usage',
      `The configuration file ${file.path} has an unknown setting "${unknown}"; known are ${Object.keys(ConfigSchema.shape).join(', ')}.`,
    )
  const values: Record<string, unknown> = {}
  const origin: Record<string, string> = {}
  for (const key of Object.keys(ConfigSchema.shape) as Key[]) {
    const variable = ENVIRONMENT[key]
    const fromEnv = variable === undefined ? undefined : sources.env[variable]
    if (sources.flags[key] !== undefined) {
      values[key] = toValue(key, sources.flags[key])
      origin[key] = `flag --${key.replace(/[A-Z]/g, c => `-${c.toLowerCase()}`)}`
    } else if (fromEnv !== undefined && fromEnv !== '') {
      values[key] = toValue(key, fromEnv)
      origin[key] = `variable ${variable}`
    } else if (file.values[key] !== undefined) {
      values[key] = file.values[key]
      origin[key] = `"${key}" in ${file.path}`
    }
  }
  const parsed = parseValues(values)
  if (!parsed.success) throw new ExitError('usage', explain(parsed.error, values, origin))
  return absolute(parsed.data, sources.cwd)
}

const OBJECTS: ReadonlySet<Key> = new Set(['auth', 'providers', 'aliases', 'unpricedModels'])

/** Flags and variables hold objects as JSON; any other text stays as it is. */
function toValue(key: Key, value: unknown): unknown {
  if (!OBJECTS.has(key) || typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** Length checks also look at what is no text or list; an object whose `length` is no number makes them throw. */
function parseValues(values: Record<string, unknown>): ReturnType<typeof ConfigSchema.safeParse> {
  try {
    return ConfigSchema.safeParse(values)
  } catch {
    throw new ExitError('usage', 'A setting that is a text or a list was given as an object with a length.')
  }
}

function explain(error: z.ZodError, values: Record<string, unknown>, origin: Record<string, string>): string {
  const issue = error.issues[0]
  const key = String(issue?.path[0] ?? '')
  // A user may have pasted a key in place of its variable.
  if (key === 'providers' || key === 'auth')
    return `${(issue?.path ?? []).join('.')} ${issue?.message ?? 'is wrong'} (${origin[key] ?? 'default'}).`
  // An address may hold a password.
  const given = key === 'database' ? 'another' : JSON.stringify(values[key])
  return `${key} ${issue?.message ?? 'is wrong'}, but is ${given} (${origin[key] ?? 'default'}).`
}

function absolute(config: Config, cwd: string): Config {
  const toPath = (path: string): string => toAbsolute(path, cwd)
  return {
    ...config,
    data: toPath(config.data),
    workspace: config.workspace === undefined ? undefined : toPath(config.workspace),
    tools: config.tools.map(toPath),
    record: config.record === undefined ? undefined : toPath(config.record),
    modelsModule: config.modelsModule === undefined ? undefined : toPath(config.modelsModule),
    providers: mapValues(config.providers, entry => absoluteProvider(entry, toPath)),
  }
}

const absoluteProvider = (entry: ProviderSettings, toPath: (path: string) => string): ProviderSettings => ({
  ...entry,
  ...(entry.module === undefined ? {} : { module: toPath(entry.module) }),
  ...(entry.key
    ? { key: entry.key.map(one => (typeof one === 'string' ? one : { file: toPath(one.file) })) }
    : {}),
})

const mapValues = <T>(record: Readonly<Record<string, T>>, map: (value: T) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))

/** A path of the configuration as it is meant: `~` is the home folder, and others begin in `cwd`. */
export const toAbsolute = (path: string, cwd: string): string =>
  resolve(cwd, path.replace(/^~(?=$|\/)/, homedir()))
