/** Connections for MCP tests, closed and removed by `closeAll`. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createStage, type Stage, type StageOptions } from '../../tools/test/stage.ts'
import { createMcpTools, type McpOptions, type McpTools } from '../src/create-mcp-tools.ts'
import { type McpServerConfig, parseMcpServers } from '../src/server-config.ts'

const open: McpTools[] = []
const stages: Stage[] = []

export async function closeAll(): Promise<void> {
  await Promise.all(open.splice(0).map(one => one.close()))
  for (const stage of stages.splice(0)) stage.close()
}

/** Programs of this folder, run from source. */
export const program = (file: string, ...args: string[]): McpServerConfig => {
  const path = join(import.meta.dirname, file)
  const { servers, problems } = parseMcpServers(
    { one: { command: process.execPath, args: ['--conditions=toolwire-source', path, ...args] } },
    {},
  )
  if (!servers['one']) throw new Error(problems.join())
  return servers['one']
}

export function start(servers: McpOptions['servers'], more: Partial<McpOptions> = {}): McpTools {
  const tools = createMcpTools({ servers, backoff: { first_ms: 20 }, ...more })
  open.push(tools)
  return tools
}

/** A session whose tools are those of the servers, at every moment. */
export function stageOf(mcp: McpTools, more: Partial<StageOptions> = {}): Stage {
  const stage = createStage({ mode: 'bypassPermissions', ...more, tools: mcp.tools })
  stages.push(stage)
  return stage
}

export { until } from './until.ts'

export const isReady = (mcp: McpTools) => (): boolean => mcp.status().every(one => one.state === 'ready')
export const names = (mcp: McpTools): readonly string[] => mcp.tools().map(tool => tool.name)

export const notesOf = (path: string): readonly string[] =>
  existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []

/** Polls for a state without an event. The test's own time limit ends it. */
export async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(resolve => setTimeout(resolve, 10))
}
