/** MCP servers, as the routes that sign in at them need them. */

/** Port of the MCP client for the routes. */
export interface McpPort {
  /** One entry per configured server; nothing secret in it. */
  readonly status: () => readonly Readonly<Record<string, unknown>>[]
  /** The server that the callback belongs to; undefined when no sign-in fits. Throws when it was refused. */
  readonly finishSignIn: (query: URLSearchParams) => Promise<string | undefined>
  /** False for a server without a sign-in. */
  readonly signOut: (server: string) => Promise<boolean>
  /** Pages that servers show beside their tools, if any. */
  readonly pages?: PagePort
}

/** A page belongs to a tool and through it to one server. Tools have the names that models see. */
export interface PagePort {
  /** The page beside a tool; undefined when it has none. Throws when it cannot be had. */
  readonly read: (tool: string, signal: AbortSignal) => Promise<ToolPage | undefined>
  /** The tool that the server calls `name`; undefined unless the page beside `tool` may call it. */
  readonly callable: (tool: string, name: string) => string | undefined
  /** The server of the page beside a tool; undefined when it has none. */
  readonly server: (tool: string) => string | undefined
  /** The resource of that page's server at an address; undefined without a page. Throws as `read`. */
  readonly resource: (
    tool: string,
    uri: string,
    signal: AbortSignal,
  ) => Promise<{ readonly contents: readonly unknown[] } | undefined>
}

export interface ToolPage {
  readonly server: string
  readonly uri: string
  readonly html: string
  /** The tool as its server describes it. */
  readonly tool: {
    readonly name: string
    readonly title?: string
    readonly description: string
    readonly input_schema: Readonly<Record<string, unknown>>
  }
  /** Origins that it asks to connect to and load from. */
  readonly connect: readonly string[]
  readonly load: readonly string[]
  readonly border?: boolean
}
