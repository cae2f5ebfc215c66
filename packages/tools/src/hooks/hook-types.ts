/** A hook as the server runs it, whatever the form of its configuration. */

export type HookHandler =
  | { readonly command: string; readonly args?: readonly string[] | undefined }
  | { readonly module: string }
  | {
      readonly url: string
      readonly headers?: Readonly<Record<string, string>> | undefined
      readonly secret?: string | undefined
    }

export type HookConfig = HookHandler & {
  readonly name?: string | undefined
  readonly timeout_ms: number
  readonly on_failure: 'continue' | 'block'
  readonly async?: boolean | undefined
  /** A string in our own form; an expression in the form of Claude Code. */
  readonly matcher: string | RegExp
  /** The form of its input and answer; our own when absent. */
  readonly form?: 'claude'
  /** Sees the end of a call only if the call ended so. */
  readonly only?: 'success' | 'failure' | undefined
}
