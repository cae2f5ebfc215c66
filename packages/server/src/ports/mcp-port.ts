/** MCP servers, as the routes that sign in at them need them. */

/** What the routes need of the MCP client. */
export interface McpPort {
  /** One entry per configured server; nothing secret in it. */
  readonly status: () => readonly Readonly<Record<string, unknown>>[]
  /** The server that the callback belongs to; undefined when no sign-in fits. Throws when it was refused. */
  readonly finishSignIn: (query: URLSearchParams) => Promise<string | undefined>
  /** False for a server that nobody can sign in at. */
  readonly signOut: (server: string) => Promise<boolean>
}
