/**
 * Pages of MCP Apps, as they are read from their servers. A page belongs to a tool, and through it to one server:
 * nothing here reaches another one.
 */
import type { Client, ReadResourceResult } from '@modelcontextprotocol/client'
import { z } from 'zod'
import type { Connection } from './connection.ts'
import { collectPages } from './list-pages.ts'
import type { ListedTool } from './list-tools.ts'

interface ServerPage {
  readonly server: string
  readonly uri: string
  readonly html: string
  /** The tool as its server describes it. */
  readonly tool: Pick<ListedTool, 'name' | 'title' | 'description' | 'input_schema'>
  /** Origins that the page asks to connect to and load from; not checked. */
  readonly connect: readonly string[]
  readonly load: readonly string[]
  /** True if it wants a visible border. */
  readonly border?: boolean
}

export interface ServerPages {
  /** The page beside a tool, by the tool's name here. Undefined when it has none; throws when it cannot be had. */
  readonly read: (tool: string, signal: AbortSignal) => Promise<ServerPage | undefined>
  /** The name here of the tool that its server calls `name`; undefined unless the page beside `tool` may call it. */
  readonly callable: (tool: string, name: string) => string | undefined
  /** The server of the page beside `tool`; undefined without one. */
  readonly server: (tool: string) => string | undefined
  /** That server's resource at an address. Undefined without such a page; throws as `read`. */
  readonly resource: (
    tool: string,
    uri: string,
    signal: AbortSignal,
  ) => Promise<{ readonly contents: readonly unknown[] } | undefined>
}

/** The origin of a tool. */
export interface ToolPlace {
  readonly connection: Connection
  readonly tool: ListedTool
}

const MAX_CHARS = 5 * 1024 * 1024
const MAX_ORIGINS = 20

/** `places` are the tools at this moment, by their names here. */
export function createServerPages(places: () => ReadonlyMap<string, ToolPlace>): ServerPages {
  const pageOf = (name: string): (ToolPlace & { readonly uri: string }) | undefined => {
    const place = places().get(name)
    const uri = place?.tool.ui?.uri
    return place && uri !== undefined ? { ...place, uri } : undefined
  }
  return {
    async read(name, signal) {
      const page = pageOf(name)
      if (!page) return undefined
      const { connection, tool, uri } = page
      const { html, ui } = await connection.use(client => readPage(client, uri, signal), signal)
      const { title, description, input_schema } = tool
      return {
        server: connection.name,
        uri,
        html,
        tool: { name: tool.name, ...(title === undefined ? {} : { title }), description, input_schema },
        connect: ui?.csp?.connectDomains ?? [],
        load: ui?.csp?.resourceDomains ?? [],
        ...(ui?.prefersBorder === undefined ? {} : { border: ui.prefersBorder }),
      }
    },
    callable(of, name) {
      const page = pageOf(of)
      if (!page) return undefined
      for (const [ours, { connection, tool }] of places())
        if (connection === page.connection && tool.name === name)
          return tool.ui?.for_page === false ? undefined : ours
      return undefined
    },
    server: of => pageOf(of)?.connection.name,
    async resource(of, uri, signal) {
      const page = pageOf(of)
      if (!page) return undefined
      const { contents } = await page.connection.use(client => readOne(client, uri, signal), signal)
      return { contents }
    },
  }
}

const origins = z
  .array(z.string().max(300))
  .transform(all => all.slice(0, MAX_ORIGINS))
  .optional()
  .catch(undefined)
const Ui = z.object({
  csp: z.object({ connectDomains: origins, resourceDomains: origins }).optional().catch(undefined),
  prefersBorder: z.boolean().optional().catch(undefined),
})
const WithUi = z.object({ _meta: z.object({ ui: Ui.optional() }) })
const Listed = z.object({ uri: z.string() })

type PageUi = z.output<typeof Ui>

async function readPage(
  client: Client,
  uri: string,
  signal: AbortSignal,
): Promise<{ readonly html: string; readonly ui: PageUi | undefined }> {
  const { contents } = await readOne(client, uri, signal)
  const [content] = contents
  if (!content || !isPage(content.mimeType)) throw new Error(`${uri} is no page to show beside a tool.`)
  const html = 'text' in content ? content.text : Buffer.from(content.blob, 'base64').toString('utf8')
  if (html.length > MAX_CHARS) throw new Error(`${uri} is longer than ${MAX_CHARS} characters.`)
  return { html, ui: uiIn(content) ?? (await listedUi(client, uri)) }
}

/** Its server's questions meanwhile are not answered: no call waits for them. */
const readOne = (client: Client, uri: string, signal: AbortSignal): Promise<ReadResourceResult> =>
  client.readResource({ uri }, { signal, cacheMode: 'bypass' })

function uiIn(value: unknown): PageUi | undefined {
  const parsed = WithUi.safeParse(value)
  return parsed.success ? parsed.data._meta.ui : undefined
}

/** Some servers say it in their list alone. One that has none says nothing. */
async function listedUi(client: Client, uri: string): Promise<PageUi | undefined> {
  const listed = await collectPages(client, 'resources/list', 'resources', 200).catch(() => [])
  return uiIn(listed.find(one => Listed.safeParse(one).data?.uri === uri))
}

/** The type of a page, however its parts are spaced and written. */
function isPage(type: string | undefined): boolean {
  const [kind, ...more] = (type ?? '').split(';').map(part => part.trim().toLowerCase())
  return kind === 'text/html' && more.some(part => part.replaceAll('"', '') === 'profile=mcp-app')
}
