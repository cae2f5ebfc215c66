/** Calls and failures of each tool since the server started, from the server's metrics. */
import { open } from '../server-api.ts'

export interface ToolStats {
  readonly calls: number
  readonly failed: number
}

/** By tool. Empty if the key may not read metrics; throws only `network`. */
export async function readToolFigures(): Promise<ReadonlyMap<string, ToolStats>> {
  const response = await open('/metrics')
  return response.ok ? parseToolFigures(await response.text()) : new Map()
}

const LINE = /^toolwire_tool_calls_total\{tool="((?:[^"\\]|\\.)*)",outcome="(\w+)"\} (\d+)/gm

/** Pure. Lines of another shape are passed over. */
function parseToolFigures(text: string): ReadonlyMap<string, ToolStats> {
  const figures = new Map<string, ToolStats>()
  for (const [, tool = '', outcome, count] of text.matchAll(LINE)) {
    const { calls, failed } = figures.get(tool) ?? { calls: 0, failed: 0 }
    const n = Number(count)
    figures.set(tool, { calls: calls + n, failed: failed + (outcome === 'ok' ? 0 : n) })
  }
  return figures
}
