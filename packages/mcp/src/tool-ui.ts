/** A server's MCP Apps settings of a tool: the page beside its calls, and its permitted callers. */
import { z } from 'zod'

/** The extension, as both sides name it when they meet. */
export const UI_EXTENSION = 'io.modelcontextprotocol/ui'
/** The one kind of page there is. */
export const PAGE_TYPE = 'text/html;profile=mcp-app'

export interface ToolUi {
  /** The address of the page; always of the kind `ui://`. */
  readonly uri?: string
  /** Models get it. */
  readonly for_model: boolean
  /** Pages of the same server may call it. */
  readonly for_page: boolean
}

const address = z
  .string()
  .max(2048)
  .regex(/^ui:\/\/\S+$/i)
const Ui = z.object({
  resourceUri: address.optional().catch(undefined),
  visibility: z.array(z.unknown()).optional().catch(undefined),
})
/** An older field for the address. */
const Meta = z.looseObject({
  ui: Ui.optional().catch(undefined),
  'ui/resourceUri': address.optional().catch(undefined),
})

/** Undefined when it says nothing. What is no address or no list counts as not said. Pure. */
export function uiOf(meta: unknown): ToolUi | undefined {
  const parsed = Meta.safeParse(meta)
  if (!parsed.success) return undefined
  const { ui, 'ui/resourceUri': earlier } = parsed.data
  const uri = ui?.resourceUri ?? earlier
  const visibility = ui?.visibility
  if (uri === undefined && visibility === undefined) return undefined
  return {
    ...(uri === undefined ? {} : { uri }),
    for_model: visibility?.includes('model') ?? true,
    for_page: visibility?.includes('app') ?? true,
  }
}
