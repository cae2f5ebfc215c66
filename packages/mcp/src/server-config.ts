/** The `mcpServers` object of a configuration file, in the form that other hosts use. */
import type { Transport } from '@modelcontextprotocol/client'
import { parseSafely } from '@toolwire/tools/internal'
import { z } from 'zod'

const strings = z.record(z.string(), z.string())

const common = {
  /** Kept in the file but not used. */
  disabled: z.boolean().optional(),
  /** Trusts its annotations of its own tools (such as read-only). */
  trusted: z.boolean().optional(),
  /** A call ends after so long without an answer or progress. */
  timeout_ms: z.number().int().positive().optional(),
  /** A call ends after so long in any case. */
  max_total_ms: z.number().int().positive().optional(),
  /** So long may it take to start. */
  startup_timeout_ms: z.number().int().positive().optional(),
  /** So long may a server of the older era be kept waiting for a person's answer. */
  hold_ms: z.number().int().positive().optional(),
  /** It may have our model write for it. */
  sampling: z.boolean().optional(),
  /** False: the server does not get the session's workspace and keeps the folders of its own arguments. */
  roots: z.boolean().optional(),
}

/** Our registration at the server's authorization server; all of it can be discovered. */
const OAuth = z.object({
  clientId: z.string().min(1).optional(),
  clientSecret: z.string().min(1).optional(),
  scope: z.string().min(1).optional(),
  /** Address of a document that describes us, for servers that take one instead of a registration. */
  clientMetadataUrl: z.url({ protocol: /^https$/ }).optional(),
  /**
   * `client_credentials`: no user signs in; the client itself has an account. `company`: the directory vouches for
   * the user.
   */
  grant: z.enum(['authorization_code', 'client_credentials', 'company']).optional(),
  /** PEM of the key that replaces a secret, for the client's own account. */
  privateKey: z.string().min(1).optional(),
  algorithm: z.string().min(1).optional(),
  /** The token exchange of a company's directory; for the grant `company`. */
  directory: z
    .object({
      tokenEndpoint: z.url({ protocol: /^https?$/ }),
      clientId: z.string().min(1),
      clientSecret: z.string().min(1).optional(),
      idToken: z.string().min(1),
    })
    .optional(),
  /** Metadata may name another issuer than the address it was found at. Weakens the sign-in: a wrong server is not noticed. */
  anyIssuer: z.boolean().optional(),
})

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
  /** False: never sign in, whatever the server says. */
  oauth: z.union([z.literal(false), OAuth]).optional(),
  ...common,
})

type Common = Readonly<z.output<z.ZodObject<typeof common>>>

/** A server in this very process, for programs that bring their own; no file can name one. */
interface InProcessServer extends Common {
  readonly type: 'in_process'
  /** A transport whose other end is the server; a new one for every connection. */
  readonly connect: () => Promise<Transport>
}

export type McpServerConfig =
  | Readonly<z.output<typeof Stdio>>
  | Readonly<z.output<typeof Http>>
  | InProcessServer

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

type ServerEntry =
  | { readonly ok: true; readonly config: McpServerConfig }
  | { readonly ok: false; readonly message: string }

function parseEntry(entry: unknown): ServerEntry {
  const isHttp = typeof entry === 'object' && entry !== null && 'url' in entry
  const parsed = isHttp ? parseSafely(Http, entry) : parseSafely(Stdio, entry)
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
