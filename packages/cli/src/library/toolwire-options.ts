/** The options of `createToolwire`. `read-options.ts` checks them; nothing else is accepted. */
import type { Effort, Model, ModelFinder, Records, Store, Tool } from '@toolwire/core'
import type { AiSdkLanguageModel } from '@toolwire/models'
import type { Authenticate, AuthOptions, Logger } from '@toolwire/server'
import type { BuiltinName, HooksConfig } from '@toolwire/tools'

/** The home of sessions. `memory` loses them when the process ends. */
export type StoreOption = 'memory' | { readonly sqlite: string } | { readonly postgres: string } | Store

/** A permission rule, as in docs/permissions-explain.md. */
export type RuleOption =
  | string
  | {
      readonly rule: string
      readonly message?: string
      readonly match?: readonly string[]
      readonly not_match?: readonly string[]
      readonly expires_at?: string
    }

export interface LimitOptions {
  readonly max_turns?: number
  readonly max_cost_usd?: number
  readonly max_total_tokens?: number
  readonly max_duration_ms?: number
  readonly fallback_models?: readonly string[]
}

export interface ToolwireOptions {
  /** Keeps one instance in this process under this name: a second call replaces its tools, models and sign-in. */
  readonly key?: string
  /** `memory` when absent. */
  readonly store?: StoreOption
  /** API keys, spending and audit trail beside a store of your own; in memory when absent. */
  readonly records?: Records
  /** Folder for outputs that do not fit the log, and for what tools keep; that of SQLite, or a temporary one. */
  readonly data?: string
  /** Models by their ids, of our port or of the AI SDK; or a function that finds them. */
  readonly models?: Readonly<Record<string, Model | AiSdkLanguageModel>> | ModelFinder
  /** Model of new sessions; the first of `models`, else one whose key is in `env`, else the demo model. */
  readonly model?: string
  readonly effort?: Effort
  readonly tools?: readonly Tool[]
  /** Names of built-in tools, or all of them; none when absent. */
  readonly builtin?: 'all' | readonly BuiltinName[]
  /** Folder that file and shell tools work in. */
  readonly workspace?: string
  /** Name and instructions of the agent, for sessions that bring no prompt. */
  readonly prompt?: { readonly name?: string; readonly instructions?: string }
  /** MCP servers, as in docs/mcp.md. */
  readonly mcpServers?: Readonly<Record<string, unknown>>
  readonly permissions?: {
    readonly allow?: readonly RuleOption[]
    readonly ask?: readonly RuleOption[]
    readonly deny?: readonly RuleOption[]
  }
  readonly permissionMode?: 'default' | 'acceptEdits' | 'plan' | 'dontAsk' | 'bypassPermissions'
  readonly hooks?: HooksConfig
  /** Limits of every run. */
  readonly limits?: LimitOptions
  /** Path of your application under which the routes are, such as `/agent`. */
  readonly basePath?: string
  /** Says who calls. Without it, without `auth`, `apiKeys` and `access`, only this machine may call, through `node`. */
  readonly authenticate?: Authenticate
  /** Identity providers whose JSON web tokens sign callers in. */
  readonly auth?: AuthOptions
  readonly apiKeys?: readonly string[]
  /** `open` lets every caller in, as one owner. */
  readonly access?: 'open'
  /** Origins of other sites whose pages may call. */
  readonly allowedOrigins?: readonly string[]
  /** Host names that may be called; every one when callers sign in. */
  readonly allowedHosts?: readonly string[]
  /** Origin and base path under which browsers reach the server, for sign-ins at MCP servers. */
  readonly publicUrl?: string
  /** Receives log lines. Nothing is printed. */
  readonly logger?: Logger
  /** Keys of providers and variables of commands; empty when absent. `process.env` is never read. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** False: serves and stores, and leaves the runs to other processes on the same PostgreSQL database. */
  readonly run?: boolean
  /** Serves the web app; only without a base path. */
  readonly ui?: boolean
}
