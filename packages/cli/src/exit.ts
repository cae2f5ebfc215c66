/** The reason of an early exit: one sentence for users, one code for scripts. docs/cli.md lists them. */
export const EXIT = {
  /** The run of `run` failed, or a task of `eval` did not pass. */
  failed: 1,
  /** A command or flag is unknown, or a flag, a variable or the configuration file has a value that cannot work. */
  usage: 2,
  /** The address cannot be listened on. */
  address: 3,
  /** The data folder cannot be used, or another process uses it. */
  data: 4,
  /** The workspace cannot be used. */
  workspace: 5,
  /** The doctor found something that keeps the server from starting, or Node is too old (main.ts). */
  unfit: 6,
  /** The run of `run` waits for a decision; the message names the command that resumes it. */
  paused: 6,
  /** No server answers at the address of `chat` or `run`. */
  unreachable: 69,
  /** Anything else; a bug. */
  internal: 70,
  /** The server did not accept the API key. */
  refused: 77,
  /** The run of `run` was stopped. */
  interrupted: 130,
} as const

export class ExitError extends Error {
  override readonly name = 'ExitError'
  readonly code: number

  constructor(kind: keyof typeof EXIT, sentence: string, options?: ErrorOptions) {
    super(sentence, options)
    this.code = EXIT[kind]
  }
}
