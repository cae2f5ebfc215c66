/** Waits for a server's status. */
import type { McpTools } from '../src/create-mcp-tools.ts'

/** Waits for a change after which the condition holds. */
export async function until(mcp: McpTools, holds: () => boolean): Promise<void> {
  if (holds()) return
  await new Promise<void>(resolve => {
    const end = mcp.subscribe(() => {
      if (!holds()) return
      end()
      resolve()
    })
  })
}
