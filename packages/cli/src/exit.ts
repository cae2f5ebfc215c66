/** Why the command ended early: one sentence for a person, one code for a script. docs/cli.md lists them. */
export const EXIT = {
  /** A flag, a variable or the configuration file has a value that cannot work. */
  usage: 2,
  /** The address cannot be listened on. */
  address: 3,
  /** The data folder cannot be used, or another process uses it. */
  data: 4,
  /** The workspace cannot be used. */
  workspace: 5,
  /** The doctor found something that keeps the server from starting. */
  unfit: 6,
  /** Anything else; a bug. */
  internal: 70,
} as const

export class ExitError extends Error {
  override readonly name = 'ExitError'
  readonly code: number

  constructor(kind: keyof typeof EXIT, sentence: string, options?: ErrorOptions) {
    super(sentence, options)
    this.code = EXIT[kind]
  }
}
