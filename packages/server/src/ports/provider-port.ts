/** Keys of model providers, as their routes show and change them. No key ever comes back out of it. */

/** Public facts of a provider's key. */
export interface ProviderStatus {
  readonly provider: string
  /** For people. */
  readonly name: string
  /** The variable of the environment that holds the key, and wins over Settings. */
  readonly variable: string
  /** Its models can be asked. */
  readonly set: boolean
  /** The source of the effective key; absent without one. */
  readonly source?: 'environment' | 'file' | 'settings'
  /** The last four characters of the effective key; absent without one, or if they would reveal too much of it. */
  readonly last4?: string
  /** The address that was given with it in Settings. */
  readonly base_url?: string
  /** A key is stored in Settings, effective or not. */
  readonly stored: boolean
  /** The API that it speaks; absent where host and model decide. */
  readonly api?: string
  /** The address that is asked, where it is not the vendor's own. */
  readonly address?: string
  /** One row for each key, where it has several. */
  readonly keys?: readonly KeyStatus[]
  /** The models that it listed last. */
  readonly models?: { readonly count: number; readonly at: string }
  /** Its last test failed. */
  readonly last_error?: ProviderFailure
}

interface KeyStatus {
  readonly last4?: string
  /** Failures since it last worked. */
  readonly failures: number
  /** Milliseconds until it is used again; 0 when it can be used. */
  readonly cooling_ms: number
}

interface ProviderFailure {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
  readonly http_status?: number
}

export interface ProviderEntry {
  /** Of a provider that exists in Settings alone. */
  readonly api?: 'anthropic' | 'openai-chat' | 'openai-responses'
  readonly key?: string
  readonly base_url?: string
}

export interface PutOptions {
  /** The caller is at this machine and may name addresses of it. */
  readonly isLocal: boolean
  readonly isTested: boolean
}

/** The status after a change. A test that failed changed nothing. */
export type ProviderStored = ProviderStatus & { readonly test?: ProviderTest }

/** A provider's response to a list of its models. */
export type ProviderTest =
  | { readonly ok: true; readonly models: number }
  | { readonly ok: false; readonly error: ProviderFailure }

/** `undefined` for an unknown provider, and for a name that no provider can have. */
export interface ProviderPort {
  readonly list: () => readonly ProviderStatus[]
  /**
   * Replaces the stored entry in one step that a crash leaves whole or undone. With `isTested` the provider is asked
   * first, and an entry that fails its test is not stored. Throws `bad_request` for an entry that cannot work.
   */
  readonly put: (
    provider: string,
    entry: ProviderEntry,
    options: PutOptions,
  ) => Promise<ProviderStored | undefined>
  /** Idempotent. */
  readonly remove: (provider: string) => Promise<ProviderStatus | undefined>
  /** Queries the provider with the effective key. Throws `missing_key` without one. */
  readonly test: (provider: string) => Promise<ProviderTest | undefined>
}
