/** The `mcpServers` object of a configuration file, in the form that other hosts use. */
import { z } from 'zod'

const strings = z.record(z.string(), z.string())

const common = {
  /** Kept in the file but not used. */
  disabled: z.boolean().optional(),
  /** What it says of its own tools (that they only read) is believed. */
  trusted: z.boolean().optional(),
  /** A call ends after so long without an answer or progress. */
  timeout_ms: z.number().int().positive().optional(),
  /** A call ends after so long in any case. */
  max_total_ms: z.number().int().positive().optional(),
  /** So long may it take to start. */
  startup_timeout_ms: z.number().int().positive().optional(),
}

const Stdio = z.object({
  type: z.literal('stdio').optional().default('stdio'),
  command: z.string().min(1),
  args: z.array(z.string()).optional().default([]),
  env: strings.optional().default({}),
  cwd: z.string().optional(),
  ...common,
})

const Http = z.object({
  type: z
    .enum(['http', 'streamable-http', 'streamableHttp', 'sse'])
    .optional()
    .default('http')
    .transform(type => (type === 'sse' ? 'sse' : 'http')),
  url: z.url({ protocol: /^https?$/ }),
  headers: strings.optional().default({}),
  ...common,
})

export type McpServerConfig = Readonly<z.output<typeof Stdio>> | Readonly<z.output<typeof Http>>

export interface McpServers {
  readonly servers: Readonly<Record<string, McpServerConfig>>
  /** One sentence per entry that cannot be used; the others are. */
  readonly problems: readonly string[]
}

/**
 * `${NAME}` and `${NAME:-otherwise}` are replaced from `env` in every text. Keys that are not
 * known are ignored, since files are shared between hosts. Never throws.
 */
export function parseMcpServers(
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
): McpServers {
  const entries = z.record(z.string(), z.unknown()).safeParse(value ?? {})
  if (!entries.success) return { servers: {}, problems: ['mcpServers must be an object.'] }
  const servers: Record<string, McpServerConfig> = {}
  const problems: string[] = []
  for (const [name, entry] of Object.entries(entries.data)) {
    const missing: string[] = []
    const parsed = parseEntry(expand(entry, env, missing))
    if (missing.length > 0)
      problems.push(`mcpServers.${name}: ${missing.join(', ')} is not set in the environment.`)
    else if (!parsed.ok) problems.push(`mcpServers.${name}: ${parsed.message}`)
    else if (!parsed.config.disabled) servers[name] = parsed.config
  }
  return { servers, problems }
}

type Entry =
  | { readonly ok: true; readonly config: McpServerConfig }
  | { readonly ok: false; readonly message: string }

function parseEntry(entry: unknown): Entry {
  const isHttp = typeof entry === 'object' && entry !== null && 'url' in entry
  const parsed = isHttp ? Http.safeParse(entry) : Stdio.safeParse(entry)
  if (parsed.success) return { ok: true, config: parsed.data }
  const [issue] = parsed.error.issues
  return { ok: false, message: [...(issue?.path ?? []), issue?.message].join(' ') }
}

function expand(
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
  missing: string[],
): unknown {
  if (typeof value === 'string')
    return value.replaceAll(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, otherwise?: string) => {
      const found = env[name] ?? otherwise
      if (found === undefined) missing.push(name)
      return found ?? ''
    })
  if (Array.isArray(value)) return value.map(one => expand(one, env, missing))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, expand(one, env, missing)]))
}
