/** Everything that a product is made of: settings as values, and the objects and functions that no setting can hold. */
import type { Model, ModelFinder, Records, Store, Tool } from '@toolwire/core'
import type { Authenticate, Logger, ServerSettings } from '@toolwire/server'
import type { Config } from './config.ts'
import type { ProductEnvironment, Variables } from './environment.ts'

export interface Data {
  readonly store: Store
  readonly records: Records
}

/** Models by their ids, or a function that finds them and throws `unknown_model`. */
export type OwnModels = Readonly<Record<string, Model>> | ModelFinder

/** Parts of a program that may be replaced while the product runs; each is read when it is used. */
export interface OwnParts {
  readonly tools: readonly Tool[]
  readonly models: OwnModels
  readonly authenticate: Authenticate | undefined
}

export interface Blueprint {
  readonly config: Config
  /** Keys of providers and the like. */
  readonly env: ProductEnvironment
  /** Variables of commands, MCP servers and checks. */
  readonly machineEnv: Variables
  /** Rejects when the data cannot be used; then nothing is left open. */
  readonly openData: () => Promise<Data>
  /** The folder of sessions that name none. Throws when it cannot be used. */
  readonly openWorkspace: () => string
  readonly own: () => OwnParts
  /** Names of the built-in tools that sessions have. */
  readonly builtin: 'all' | readonly string[]
  readonly logger: Logger
  /** Receives what an operator should read, one sentence at a time. */
  readonly report: (sentence: string) => void
  readonly server: Pick<ServerSettings, 'basePath' | 'anyHost' | 'strangers'>
  /** The folder of the web app; without it there are no pages. */
  readonly webRoot: string | undefined
  /** False: requests are served and inputs are stored, and another process runs the sessions. */
  readonly runs: boolean
  /** Origin under which browsers reach the server; the address that it listens on when absent. */
  readonly publicUrl?: string | undefined
}
